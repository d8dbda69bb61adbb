import Foundation

/// How much of everything a run takes.
struct Scale {
    let name: String
    let rounds: Int
    /// Seconds of each load.
    let seconds: Int
    /// Transactions in the large ledger, thousands of the small one's.
    let copies: Int
    /// Subscribers over whom a year passes.
    let subscribers: Int
    /// Notifications that are delivered in a round.
    let deliveries: Int
    /// Receipts that are asked about in turn.
    let receipts: Int

    /// A shop of a thousand transactions: so many customers with so many each.
    static let customers = 40
    static let transactionsEach = 25
    static var transactions: Int { customers * transactionsEach }

    init(quick: Bool, full: Bool, rounds: Int) {
        name = quick ? "quick" : full ? "full" : "standard"
        self.rounds = quick ? 1 : rounds
        seconds = quick ? 1 : 2
        copies = quick ? 50 : full ? 10_000 : 1_000
        subscribers = quick ? 500 : full ? 100_000 : 10_000
        deliveries = quick ? 1_000 : 10_000
        receipts = quick ? 500 : 4_000
    }

    var largeLedger: Int { copies * Self.transactions }

    /// Rounds of what takes long.
    var fewRounds: Int { min(rounds, 3) }

    /// Bytes that a run writes at the most, by what was seen: a large ledger lies in SQLite and in PostgreSQL.
    func checkRoom(for items: [Item]) throws {
        let ledgers = items.contains(.size) ? largeLedger * 2_500 : items.contains(.resources) ? largeLedger * 1_000 : 0
        let years = items.contains(.renewals) ? subscribers * 13 * 4_000 : 0
        let wanted = ledgers + years + 2_000_000_000
        let folder = FileManager.default.temporaryDirectory.path
        let facts = try FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = facts[.systemFreeSize] as? NSNumber, free.int64Value < Int64(wanted) else { return }
        let gigabytes = { (bytes: Int64) in "\(bytes / 1_000_000_000) GB" }
        throw BenchRefused(
            "\(folder) has \(gigabytes(free.int64Value)) free and this run may need \(gigabytes(Int64(wanted))): "
                + "say TMPDIR=/another/place, or leave size out"
        )
    }
}
