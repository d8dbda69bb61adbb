import Foundation

/// Measures calls of verifyReceipt, each with the receipt of another device. An answer contains a new
/// receipt: one RSA-2048 signature over a DER of all transactions, on the same core.
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
                let file = server.folder + "/till.sqlite"
                let reads = try bench.limit(["account-reads", file, "--rows", "\(size)"])
                let receipts = try bench.limit(["receipts", "--transactions", "\(size)"])
                series.note("verifyReceipt, \(size) transactions", load)
                series.note("bare: reads of \(size) rows from SQLite", "1/s", reads)
                series.note("bare: DER of a receipt of \(size), encoded and hashed", "1/s", receipts)
                let parts = Parts().adding("RSA signature", at: signatures).adding("read", at: reads)
                    .adding("DER", at: receipts)
                let bound: Bound = size == 1 ? .atLeast(0.60) : .atLeast(0.45)
                series.note("verifyReceipt of \(size)", load.rate, of: parts, bound)
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
