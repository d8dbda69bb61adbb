import Foundation

/// The size of a run.
struct Scale {
    let name: String
    let rounds: Int
    /// The duration of each load in seconds.
    let seconds: Int
    /// The size of the large ledger, as a multiple of the small ledger with a thousand transactions.
    let copies: Int
    /// The number of subscribers in the advance of one year.
    let subscribers: Int
    /// The number of notifications per round.
    let deliveries: Int
    /// The number of different receipts that are verified.
    let receipts: Int

    /// The small ledger has a thousand transactions: this number of customers with `transactionsEach` transactions
    /// each.
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

    /// The number of rounds of slow measurements.
    var fewRounds: Int { min(rounds, 3) }

    /// Checks that the disk has enough space. The estimate is the most that runs were observed to write. The large
    /// ledger exists both in SQLite and in PostgreSQL.
    func checkDiskSpace(for items: [Item]) throws {
        let ledgers = items.contains(.size) ? largeLedger * 2_500 : items.contains(.resources) ? largeLedger * 1_000 : 0
        let years = items.contains(.renewals) ? subscribers * 13 * 4_000 : 0
        let wanted = ledgers + years + 2_000_000_000
        let folder = FileManager.default.temporaryDirectory.path
        let facts = try FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = facts[.systemFreeSize] as? NSNumber, free.int64Value < Int64(wanted) else { return }
        let gigabytes = { (bytes: Int64) in "\(bytes / 1_000_000_000) GB" }
        throw BenchRefused(
            "\(folder) has \(gigabytes(free.int64Value)) free and this run may need \(gigabytes(Int64(wanted))): "
                + "set TMPDIR=/another/place, or use --only without size"
        )
    }
}
