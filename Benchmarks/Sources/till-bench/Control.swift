import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A client of Till's control API.
struct Control {
    static let app = "com.example.bench"
    static let scope = "/v1/apps/\(app)/sandbox"

    /// This client waits for as long as an advance takes, unlike the shared client.
    private static let client = HTTPClient()

    let address: String

    func get(_ path: String) async throws -> [String: Any] { try await ask(.GET, path, nil) }

    @discardableResult
    func post(_ path: String, _ body: [String: Any]) async throws -> [String: Any] {
        try await ask(.POST, path, body)
    }

    @discardableResult
    func put(_ path: String, _ body: [String: Any]) async throws -> [String: Any] {
        try await ask(.PUT, path, body)
    }

    private func ask(_ method: HTTPMethod, _ path: String, _ body: [String: Any]?) async throws -> [String: Any] {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        }
        let response = try await Self.client.execute(request, timeout: .hours(2))
        let answer = try await response.body.collect(upTo: 1 << 24)
        guard (200..<300).contains(response.status.code) else {
            throw BenchRefused("\(method.rawValue) \(path): \(response.status) \(String(buffer: answer).prefix(500))")
        }
        let json = try? JSONSerialization.jsonObject(with: Data(answer.readableBytesView))
        return json as? [String: Any] ?? [:]
    }

    // MARK: Creating a shop

    /// Creates an app that sells coins and a monthly subscription, and a key for the app's backend.
    func setUp() async throws -> BackendKey {
        try await post("/v1/apps", ["bundleId": Self.app])
        try await put(
            "/v1/apps/\(Self.app)/catalog",
            [
                "groups": [["groupId": "20450880", "name": "Pro", "localizations": [Any]()]],
                "products": [
                    ["productId": "coins", "type": "CONSUMABLE", "price": "0.99"],
                    [
                        "productId": "pro", "type": "AUTO_RENEWABLE", "price": "4.99",
                        "subscription": ["groupId": "20450880", "level": 1, "period": "P1M"],
                    ],
                ],
            ]
        )
        return try BackendKey(try await post("/v1/keys", ["name": "bench"]), app: Self.app)
    }

    /// Buys a product for a customer, and returns the id of the transaction.
    @discardableResult
    func buy(_ product: String, by customer: String, at instant: Int64? = nil) async throws -> String {
        var body: [String: Any] = ["productId": product]
        body["at"] = instant
        let answer = try await post("\(Self.scope)/customers/\(customer)/purchases", body)
        guard let id = (answer["transaction"] as? [String: Any])?["transactionId"] as? String else {
            throw BenchRefused("a purchase without an id")
        }
        return id
    }

    /// Buys a product once for each of this number of customers, several of them concurrently.
    func buy(_ product: String, byEachOf count: Int, named name: String = "customer") async throws {
        let lanes = 32
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    for number in stride(from: lane, to: count, by: lanes) {
                        try await buy(product, by: "\(name)-\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
