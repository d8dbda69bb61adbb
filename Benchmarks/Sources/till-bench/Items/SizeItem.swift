import Foundation

/// Measures the pages of the same customers in a ledger of a thousand transactions and in a large ledger.
/// Signatures are cached and the token is reused, so that reading takes most of the time.
struct SizeItem {
    private let bench: Workbench

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let kept = ["--signature-age", "86400"]
        let small = try await bench.ledger(copies: 1)
        let large = try await bench.ledger(copies: bench.scale.copies)
        var series = Series()
        try compare(
            try await small.server(copied: true, kept),
            try await large.server(kept),
            small,
            large,
            on: "SQLite",
            &series
        )
        try compare(
            try await small.postgresServer(copied: true, kept),
            try await large.postgresServer(kept),
            small,
            large,
            on: "PostgreSQL",
            &series
        )
        return series
    }

    private func compare(
        _ few: TillServer,
        _ many: TillServer,
        _ small: Ledger,
        _ large: Ledger,
        on engine: String,
        _ series: inout Series
    ) throws {
        defer {
            few.stop()
            many.stop()
        }
        let script = try small.script()
        func load(_ server: TillServer) throws -> Load {
            try Load(bench, script, of: server.sandbox, by: server.program)
        }
        _ = try load(few)
        _ = try load(many)
        for _ in 0..<bench.scale.rounds {
            let fewLoad = try load(few)
            let manyLoad = try load(many)
            series.note("\(engine), \(small.transactions) transactions", fewLoad)
            series.note("\(engine), \(large.transactions) transactions", manyLoad)
            series.ratio("\(engine): cost of a page, large : small", fewLoad.rate / manyLoad.rate, .atMost(1.1))
        }
    }
}
