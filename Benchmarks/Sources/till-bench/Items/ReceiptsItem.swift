import Foundation

/// Measures calls of verifyReceipt, each with the receipt of another device. They are compared with plain RSA-2048
/// signatures on the same core, because each answer contains one such signature.
struct ReceiptsItem {
    private let bench: Workbench
    private static let secret = "0123456789abcdef0123456789abcdef"

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        let server = try await TillServer(bench, on: bench.place("receipts"))
        defer { server.stop() }
        _ = try await server.control.setUp()
        try await server.control.put("/v1/apps/\(Control.app)/shared-secret", ["sharedSecret": Self.secret])
        var scripts: [(size: Int, script: Load.Script)] = []
        for size in [1, 100] {
            let customer = "customer-\(size)"
            try await server.control.buy("pro", by: customer)
            for _ in 1..<size { try await server.control.buy("coins", by: customer) }
            // Within one second, the same device would get the same receipt again.
            let count = size == 1 ? bench.scale.receipts : bench.scale.receipts / 4
            let bodies = try await receipts(of: customer, count, server.control)
            scripts.append((size, try Load.Script(bench, posting: bodies, to: "/verifyReceipt")))
        }
        var series = Series()
        for _ in 0..<bench.scale.rounds {
            let signatures = try bench.limit(["rsa-signatures"])
            series.note("bare: RSA-2048 signatures", "1/s", signatures)
            for (size, script) in scripts {
                let load = try Load(bench, script, of: server.sandbox, by: server.program)
                series.note("verifyReceipt, \(size) transactions", load)
                series.ratio("verifyReceipt of \(size) : bare RSA signatures", load.rate / signatures)
            }
        }
        return series
    }

    private func receipts(of customer: String, _ count: Int, _ control: Control) async throws -> [String] {
        var bodies: [String] = []
        for _ in 0..<count {
            let path = "\(Control.scope)/customers/\(customer)/receipt?deviceId=\(UUID().uuidString.lowercased())"
            guard let receipt = try await control.get(path)["receipt"] as? String else {
                throw BenchRefused("a receipt without bytes")
            }
            bodies.append(#"{"receipt-data":"\#(receipt)","password":"\#(Self.secret)"}"#)
        }
        return bodies
    }
}
