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
            let cachedReused = try load(cached, reused)
            let cachedFresh = try load(cached, try fresh(ledger))
            let signatures = try bench.signatures()
            let uncachedReused = try load(uncached, reused)
            let uncachedFresh = try load(uncached, try fresh(ledger))
            let postgresReused = try load(cachedPostgres, reused)
            let postgresFresh = try load(cachedPostgres, try fresh(ledger))
            let postgresUncached = try load(uncachedPostgres, reused)
            let checks = try bench.limit(["verifications"])
            let reads = try bench.limit(["page-reads", uncached.folder + "/till.sqlite"])

            series.note("the same bytes from Hummingbird", raw)
            series.note("signatures kept, token reused", cachedReused)
            series.note("signatures kept, fresh tokens", cachedFresh)
            series.note("signed for each answer, token reused", uncachedReused)
            series.note("signed for each answer, fresh tokens", uncachedFresh)
            series.note("PostgreSQL, signatures kept, token reused", postgresReused)
            series.note("PostgreSQL, signatures kept, fresh tokens", postgresFresh)
            series.note("PostgreSQL, signed for each answer, token reused", postgresUncached)
            series.note("bare: ES256 signatures", "1/s", signatures)
            series.note("bare: ES256 checks", "1/s", checks)
            series.note("bare: reads of a page's rows from SQLite", "1/s", reads)

            series.ratio("kept, token reused : Hummingbird", cachedReused.rate / raw.rate, .atLeast(0.33, goal: 0.45))
            series.ratio("kept, fresh tokens : Hummingbird", cachedFresh.rate / raw.rate, .atLeast(0.20, goal: 0.30))
            series.ratio("signed anew : bare signatures / 20", uncachedReused.rate / (signatures / 20), .atLeast(0.70))
            // This is the sum of the costs in seconds: sending the bytes, checking the token, reading, and signing.
            let parts = 1 / raw.rate + 1 / reads
            series.ratio("kept, token reused : bytes + read", cachedReused.rate * parts)
            series.ratio("kept, fresh tokens : bytes + read + check", cachedFresh.rate * (parts + 1 / checks))
            series.ratio(
                "signed anew, fresh tokens : bytes + read + check + 20 signatures",
                uncachedFresh.rate * (parts + 1 / checks + 20 / signatures)
            )
            series.ratio(
                "PostgreSQL : SQLite, kept, token reused",
                postgresReused.rate / cachedReused.rate,
                .atLeast(0.5)
            )
            series.ratio(
                "PostgreSQL : SQLite, kept, fresh tokens",
                postgresFresh.rate / cachedFresh.rate,
                .atLeast(0.5)
            )
            series.ratio("PostgreSQL : SQLite, signed anew", postgresUncached.rate / uncachedReused.rate, .atLeast(0.5))
        }
        return series
    }

    private func fresh(_ ledger: Ledger) throws -> Load.Script {
        try ledger.script(freshTokens: Self.freshTokens * bench.scale.seconds / 2)
    }
}
