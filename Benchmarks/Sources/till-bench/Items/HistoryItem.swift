import Foundation

/// Measures a full page of Get Transaction History from a server on one core, with the load on the other core. It is
/// compared with Hummingbird, which answers the same bytes from memory on the same core, and with the sum of the costs
/// of a page.
struct HistoryItem {
    private let bench: Workbench

    /// A server answers fewer requests in one load, so it has seen no token before.
    private static let freshTokens = 40_000

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let ledger = try await bench.ledger(copies: 1)
        let cached = try await ledger.server(copied: true, ["--signature-age", "86400"])
        let uncached = try await ledger.server(copied: true)
        let cachedPostgres = try await ledger.postgresServer(copied: true, ["--signature-age", "86400"])
        let uncachedPostgres = try await ledger.postgresServer(copied: true)
        let page = try await cached.body(of: ledger.pages[0], token: try ledger.key.token())
        let bare = try ServeBytes.start(bench, answering: page)
        defer { bare.program.stop() }
        let servers = [cached, uncached, cachedPostgres, uncachedPostgres]
        defer { for server in servers { server.stop() } }

        let reused = try ledger.script()
        func load(_ server: TillServer, _ script: Load.Script) throws -> Load {
            try Load(bench, script, of: server.sandbox, by: server.program)
        }
        for server in servers { _ = try load(server, reused) }
        _ = try Load(bench, reused, of: bare.address, by: bare.program)

        var series = Series()
        series.note("bytes of a page", "B", Double(page.count))
        for _ in 0..<bench.scale.rounds {
            let raw = try Load(bench, reused, of: bare.address, by: bare.program)
            let checks = try bench.limit(["verifications"])
            let signatures = try bench.signatures()
            let reads = try bench.limit(["page-reads", uncached.folder + "/till.sqlite"])
            let postgresReads = try ledger.postgresReads()
            series.note("the same bytes from Hummingbird", raw)
            series.note("bare: ES256 signatures", "1/s", signatures)
            series.note("bare: ES256 checks", "1/s", checks)
            series.note("bare: reads of a page's rows from SQLite", "1/s", reads)
            series.note("bare: reads of a page's rows from PostgreSQL", "1/s", postgresReads)

            func compare(_ kept: TillServer, _ signing: TillServer, _ reads: Double, _ engine: Engine) throws {
                let bytes = Parts().adding("bytes", at: raw.rate).adding("read", at: reads)
                let checked = bytes.adding("check", at: checks)
                let signed = checked.adding("20 signatures", 20, at: signatures)
                let keptReused = try load(kept, reused)
                let keptFresh = try load(kept, try fresh(ledger))
                let signedFresh = try load(signing, try fresh(ledger))
                for (name, load, parts, bound) in [
                    ("signatures kept, token reused", keptReused, bytes, engine.bounds[0]),
                    ("signatures kept, fresh tokens", keptFresh, checked, engine.bounds[1]),
                    ("signed for each answer, fresh tokens", signedFresh, signed, engine.bounds[2]),
                ] {
                    series.note("\(engine.name), \(name)", load)
                    series.note("\(engine.name), \(name)", load.rate, of: parts, bound)
                }
            }
            try compare(cached, uncached, reads, .sqlite)
            try compare(cachedPostgres, uncachedPostgres, postgresReads, .postgres)
        }
        return series
    }

    /// An engine, and the bounds of its three loads.
    private struct Engine {
        let name: String
        let bounds: [Bound]

        static let sqlite = Engine(
            name: "SQLite",
            bounds: [.atLeast(0.55, goal: 0.70), .atLeast(0.60, goal: 0.75), .atLeast(0.80, goal: 0.88)]
        )
        static let postgres = Engine(
            name: "PostgreSQL",
            bounds: [.atLeast(0.50), .atLeast(0.55), .atLeast(0.72)]
        )
    }

    private func fresh(_ ledger: Ledger) throws -> Load.Script {
        try ledger.script(freshTokens: Self.freshTokens * bench.scale.seconds / 2)
    }
}
