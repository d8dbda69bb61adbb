import Foundation

/// Measures notifications that Till delivers to a receiver and records durably. For comparison, an existing HTTP client
/// posts the same bytes to the same receiver with the same concurrency. Till and the client run on the first core, the
/// receiver on the second.
struct DeliveriesItem {
    private let bench: Workbench
    /// The attempts of a grouped commit: Till makes as many at the same time.
    private static let group = 16

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let receiver = try Receiver(bench)
        defer { receiver.program.stop() }
        // No attempt may time out while the receiver's gate is closed.
        let patience = ["--delivery-timeout", "300"]
        let server = try await TillServer(bench, on: bench.place("deliveries"), patience)
        defer { server.stop() }
        _ = try await server.control.setUp()
        try await server.control.put("\(Control.scope)/endpoints/primary", ["url": receiver.url])
        let body = bench.place("notification")
        let count = bench.scale.deliveries
        let file = bench.place("bare.sqlite")
        var series = Series()
        for round in 0..<bench.scale.fewRounds {
            // Deliveries wait for answers while the gate is closed, and complete as soon as it opens.
            try await receiver.close()
            try await server.control.buy("coins", byEachOf: count, named: "round-\(round)")
            let before = server.program.processorSeconds
            try await receiver.open()
            let delivered = try await receiver.rate(of: count)
            let used = server.program.processorSeconds - before
            try Data(try await receiver.body()).write(to: URL(filePath: body))
            let posted = try bench.limit(["posts", receiver.url, "--body", body, "--count", "\(count)"])
            series.note("notifications delivered", "1/s", delivered)
            series.note("  notifications delivered: CPU of the server", "µs", used / Double(count) * 1_000_000)
            series.note("bare: posts of the same bytes by AsyncHTTPClient", "1/s", posted)
            let grouped = try bench.limit(["commits", file, "--rows", "\(Self.group)"])
            series.note("bare: rows in commits of \(Self.group)", "1/s", grouped)
            let parts = Parts().adding("post", at: posted).adding("row", at: grouped)
            series.note("a delivery", delivered, of: parts, .atLeast(0.60, goal: 0.80))
        }
        return series
    }
}
