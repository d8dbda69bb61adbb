import Foundation

/// Measures an advance of one year for monthly subscribers, without and with an endpoint. Each renewal is a ledger
/// transaction with a notification, and is committed. Each measurement uses all cores.
struct RenewalsItem {
    private let bench: Workbench
    /// The renewals of a grouped commit, about as many as in one of Till's commits.
    private static let group = 32

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let subscribers = bench.scale.subscribers
        let receiver = try Receiver(bench)
        defer { receiver.program.stop() }
        try await receiver.close()
        let silent = bench.place("subscribers")
        let first = try await TillServer(bench, on: silent, place: .anywhere)
        _ = try await first.control.setUp()
        try await first.control.put("\(Control.scope)/clock", ["mode": "frozen"])
        try await first.control.buy("pro", byEachOf: subscribers)
        first.stop()
        let folder = try bench.copy(silent, as: "subscribers")
        let second = try await TillServer(bench, on: folder, place: .anywhere)
        try await second.control.put("\(Control.scope)/endpoints/primary", ["url": receiver.url])
        second.stop()

        let file = bench.place("bare.sqlite")
        var series = Series()
        for _ in 0..<bench.scale.fewRounds {
            let signatures = try bench.signatures(threads: ProcessInfo.processInfo.activeProcessorCount)
            series.note("bare: ES256 signatures, all cores", "1/s", signatures)
            // `written` counts the rows: account, transaction, notification, and a delivery.
            for (name, place, rows, signed) in [("no endpoint", silent, 3, 0), ("one endpoint", folder, 4, 3)] {
                let group = Self.group * rows
                let time = "\(bench.scale.seconds)"
                let grouped = try bench.limit(["commits", file, "--rows", "\(group)", "--time", time], on: .anywhere)
                let renewals = try await year(over: subscribers, from: place)
                series.note("bare: rows in commits of \(group)", "1/s", grouped)
                series.note("renewals, \(subscribers) subscribers, \(name)", "1/s", renewals)
                var parts = Parts().adding("\(rows) rows", Double(rows), at: grouped)
                if signed > 0 { parts = parts.adding("\(signed) signatures", Double(signed), at: signatures) }
                series.note("a renewal, \(name)", renewals, of: parts, .atLeast(0.60, goal: 0.75))
            }
        }
        return series
    }

    private func year(over subscribers: Int, from folder: String) async throws -> Double {
        let copy = try bench.copy(folder, as: "year")
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let server = try await TillServer(bench, on: copy, place: .anywhere, ["--delivery-timeout", "300"])
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
