import Testing
import TillJSON

@testable import TillControl

/// Splits requests into path, query and body.
@Suite("Where a client sends the properties of a request")
struct RequestPartsTests {
    private let app = AppEnvironment("com.example.shop", .production)

    @Test("Identifiers are in the path, percent-encoded, and the rest is in the body")
    func body() throws {
        let parts = try RequestParts(BuyProduct(app: app, customer: "a/b ü", productId: "pro", quantity: 2))
        #expect(parts.target == "/v1/apps/com.example.shop/production/customers/a%2Fb%20%C3%BC/purchases")
        #expect(parts.body == .object([.init("productId", .string("pro")), .init("quantity", .number("2"))]))
    }

    @Test("Optional properties of a GET are in the query, and a request without properties has no body")
    func query() throws {
        let parts = try RequestParts(ListCustomers(app: app, after: "a&b", limit: 5))
        #expect(parts.target == "/v1/apps/com.example.shop/production/customers?after=a%26b&limit=5")
        #expect(parts.body == nil)
        #expect(try RequestParts(FinishTransaction(app: app, transactionId: "1")).body == nil)
    }

    @Test("The properties of an operation without a body are in the query")
    func withoutBody() throws {
        let reset = try RequestParts(Reset(bundleId: "com.example.shop", everything: true))
        #expect(reset.target == "/v1/state?bundleId=com.example.shop&everything=true" && reset.body == nil)
        let snapshot = try RequestParts(SaveSnapshot(name: "fresh", bundleId: "com.example.shop"))
        #expect(snapshot.target == "/v1/snapshots/fresh?bundleId=com.example.shop" && snapshot.body == nil)
    }
}
