import Foundation

/// Measures an advance of one year for monthly subscribers. Each renewal is a ledger transaction with a signed
/// notification, and is committed. It is compared with plain signatures. Each measurement uses all cores.
struct RenewalsItem {
    private let bench: Workbench

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let subscribers = bench.scale.subscribers
        let folder = bench.place("subscribers")
        let first = try await TillServer(bench, on: folder, place: .anywhere)
        _ = try await first.control.setUp()
        try await first.control.put("\(Control.scope)/clock", ["mode": "frozen"])
        try await first.control.buy("pro", byEachOf: subscribers)
        first.stop()

        var series = Series()
        for _ in 0..<bench.scale.fewRounds {
            let signatures = try bench.signatures(threads: ProcessInfo.processInfo.activeProcessorCount)
            let renewals = try await year(over: subscribers, from: folder)
            series.note("bare: ES256 signatures, all cores", "1/s", signatures)
            series.note("renewals, \(subscribers) subscribers, a year", "1/s", renewals)
            series.ratio("renewals : bare signatures", renewals / signatures, .atLeast(0.08))
        }
        return series
    }

    private func year(over subscribers: Int, from folder: String) async throws -> Double {
        let copy = try bench.copy(folder, as: "year")
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let server = try await TillServer(bench, on: copy, place: .anywhere)
        defer { server.stop() }
        var renewals = 0
        let time = try await seconds {
            let report = try await server.control.post("\(Control.scope)/clock/advance", ["by": "P1Y"])
            let counts = report["notifications"] as? [[String: Any]] ?? []
            renewals = counts.reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
        }
        guard renewals == subscribers * 12 else {
            throw BenchRefused("\(renewals) renewals were notified, not \(subscribers * 12)")
        }
        return Double(renewals) / time
    }
}
