import Foundation

/// A full page of Get Transaction History from a server on one core, the load from the other: beside Hummingbird
/// answering the same bytes from memory on the same core, and beside the sum of what a page is made of.
struct HistoryItem {
    private let bench: Workbench

    /// More than a server answers in one load, so that each token is new to it.
    private static let freshTokens = 40_000

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let ledger = try await bench.ledger(copies: 1)
        let kept = try await ledger.server(copied: true, ["--signature-age", "86400"])
        let anew = try await ledger.server(copied: true)
        let keptElsewhere = try await ledger.postgresServer(copied: true, ["--signature-age", "86400"])
        let anewElsewhere = try await ledger.postgresServer(copied: true)
        let page = try await kept.body(of: ledger.pages[0], token: try ledger.key.token())
        let bare = try ServeBytes.start(bench, answering: page)
        defer { bare.program.stop() }
        let servers = [kept, anew, keptElsewhere, anewElsewhere]
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
            let keptReused = try load(kept, reused)
            let keptFresh = try load(kept, try fresh(ledger))
            let signatures = try bench.signatures()
            let anewReused = try load(anew, reused)
            let anewFresh = try load(anew, try fresh(ledger))
            let elsewhereReused = try load(keptElsewhere, reused)
            let elsewhereFresh = try load(keptElsewhere, try fresh(ledger))
            let elsewhereAnew = try load(anewElsewhere, reused)
            let checks = try bench.limit(["verifications"])
            let reads = try bench.limit(["page-reads", anew.folder + "/till.sqlite"])

            series.note("the same bytes from Hummingbird", raw)
            series.note("signatures kept, token reused", keptReused)
            series.note("signatures kept, fresh tokens", keptFresh)
            series.note("signed for each answer, token reused", anewReused)
            series.note("signed for each answer, fresh tokens", anewFresh)
            series.note("PostgreSQL, signatures kept, token reused", elsewhereReused)
            series.note("PostgreSQL, signatures kept, fresh tokens", elsewhereFresh)
            series.note("PostgreSQL, signed for each answer, token reused", elsewhereAnew)
            series.note("bare: ES256 signatures", "1/s", signatures)
            series.note("bare: ES256 checks", "1/s", checks)
            series.note("bare: reads of a page's rows from SQLite", "1/s", reads)

            series.ratio("kept, token reused : Hummingbird", keptReused.rate / raw.rate, .atLeast(0.33, goal: 0.45))
            series.ratio("kept, fresh tokens : Hummingbird", keptFresh.rate / raw.rate, .atLeast(0.20, goal: 0.30))
            series.ratio("signed anew : bare signatures / 20", anewReused.rate / (signatures / 20), .atLeast(0.70))
            // The sum of its parts, in seconds: the bytes' way out, the check, the read, the signatures.
            let parts = 1 / raw.rate + 1 / reads
            series.ratio("kept, token reused : bytes + read", keptReused.rate * parts)
            series.ratio("kept, fresh tokens : bytes + read + check", keptFresh.rate * (parts + 1 / checks))
            series.ratio(
                "signed anew, fresh tokens : bytes + read + check + 20 signatures",
                anewFresh.rate * (parts + 1 / checks + 20 / signatures)
            )
            series.ratio(
                "PostgreSQL : SQLite, kept, token reused",
                elsewhereReused.rate / keptReused.rate,
                .atLeast(0.5)
            )
            series.ratio("PostgreSQL : SQLite, kept, fresh tokens", elsewhereFresh.rate / keptFresh.rate, .atLeast(0.5))
            series.ratio("PostgreSQL : SQLite, signed anew", elsewhereAnew.rate / anewReused.rate, .atLeast(0.5))
        }
        return series
    }

    private func fresh(_ ledger: Ledger) throws -> Load.Script {
        try ledger.script(freshTokens: Self.freshTokens * bench.scale.seconds / 2)
    }
}
