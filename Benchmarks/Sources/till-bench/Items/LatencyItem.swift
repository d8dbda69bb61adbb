import Foundation

/// Measures one client that buys and waits: for the answer of the purchase, and until the notification of the purchase
/// was delivered to an endpoint and recorded. Each value is a median.
struct LatencyItem {
    private let bench: Workbench
    private static let purchases = 200

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let receiver = try Receiver(bench)
        defer { receiver.program.stop() }
        try await receiver.open()
        let server = try await TillServer(bench, on: bench.place("latency"), place: .anywhere)
        defer { server.stop() }
        _ = try await server.control.setUp()
        try await server.control.put("\(Control.scope)/endpoints/primary", ["url": receiver.url])
        var series = Series()
        for _ in 0..<bench.scale.rounds {
            let answered = try await median(server, settling: false)
            let delivered = try await median(server, settling: true)
            series.note("from a purchase to its answer", "ms", answered)
            series.note("from a purchase to its delivered notification", "ms", delivered)
        }
        return series
    }

    private func median(_ server: TillServer, settling: Bool) async throws -> Double {
        var times: [Double] = []
        let path = "\(Control.scope)/customers/customer/purchases" + (settling ? "?settle=10" : "")
        for _ in 0..<Self.purchases {
            times.append(try await seconds { try await server.control.post(path, ["productId": "coins"]) })
        }
        return times.sorted()[times.count / 2] * 1_000
    }
}
