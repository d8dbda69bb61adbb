import Foundation

/// Measures the memory and disk space of a server when idle and after work, the growth per million transactions, and
/// the time from the start of the server to its first answer.
struct ResourcesItem {
    private let bench: Workbench

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let small = try await bench.ledger(copies: 1)
        let large = try await bench.ledger(copies: bench.scale.copies)
        let millions = Double(large.transactions - small.transactions) / 1_000_000
        let script = try small.script()
        var series = Series()
        for _ in 0..<bench.scale.fewRounds {
            let few = try await take(small, script)
            let many = try await take(large, script)
            series.note("start to the first answer", "ms", few.start * 1_000, .atMost(80))
            series.note("start to the first answer, \(large.transactions) transactions", "ms", many.start * 1_000)
            series.note("memory at rest", "MB", few.atRest, .atMost(55))
            series.note("memory at rest, \(large.transactions) transactions", "MB", many.atRest)
            series.note("memory after a load of pages", "MB", few.atWork)
            series.note("memory at rest for a million transactions", "MB", (many.atRest - few.atRest) / millions)
            series.note("memory at work for a million transactions", "MB", (many.atWork - few.atWork) / millions)
        }
        return series
    }

    private func take(_ ledger: Ledger, _ script: Load.Script) async throws -> (
        start: Double, atRest: Double, atWork: Double
    ) {
        let server = try await ledger.server()
        defer { server.stop() }
        try await Task.sleep(for: .seconds(1))
        let atRest = server.program.residentMegabytes
        _ = try Load(bench, script, of: server.sandbox, by: server.program)
        return (server.startSeconds, atRest, server.program.residentMegabytes)
    }
}
