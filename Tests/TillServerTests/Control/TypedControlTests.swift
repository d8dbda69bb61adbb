import Testing
import TillControl
import TillTestSupport

/// Drives the control API with the public client.
@Suite("Typed requests to the control API")
struct TypedControlTests {
    @Test("A purchase, a cancellation and a refund return their typed results")
    func story() async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.all)) { control in
            let bought = try await control.send(BuyProduct(app: control.app, customer: "ann", productId: "pro"))
            #expect(bought.result == .subscribed && bought.events == [.subscribed])
            let transaction = try #require(bought.transaction)
            #expect(transaction.subscription?.status == .active)
            let cancelled = try await control.send(
                CancelSubscription(app: control.app, originalTransactionId: transaction.transactionId)
            )
            #expect(cancelled.transaction.subscription?.autoRenewStatus == 0)
            let refunded = try await control.send(
                RefundTransaction(
                    app: control.app,
                    transactionId: transaction.transactionId,
                    share: .part,
                    percentage: 50_000
                )
            )
            #expect(refunded.transaction.revocationType == .refundProrated)
            #expect(refunded.notifications == ["REFUND"])
        }
    }

    @Test("A refusal is a typed error with the server's status and code, and with every fault of the body")
    func refusals() async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.all)) { control in
            let unknown = GetTransaction(app: control.app, transactionId: "2000000000000001")
            #expect(try await control.refusal(of: unknown) == .init(404, "unknown_transaction"))
            let moon = GetCustomer(app: AppEnvironment("com.example.moon"), customer: "ann")
            #expect(try await control.refusal(of: moon) == .init(404, "unknown_app"))
            do {
                _ = try await control.send(
                    BuyProduct(app: control.app, customer: "ann", productId: "coins", quantity: 11, price: -1)
                )
                Issue.record("the purchase was accepted")
            } catch let failure as ControlFailure {
                #expect(failure.error.faults?.map(\.path) == ["$.quantity", "$.price"])
            }
        }
    }

    @Test("A customer's name is sent unchanged in the path", arguments: ["a b", "ä/ö", "100%", "a+b?c#d", "\u{1F600}"])
    func names(name: String) async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.all)) { control in
            _ = try await control.send(CreateCustomer(app: control.app, customer: name))
            #expect(try await control.send(GetCustomer(app: control.app, customer: name)).customer == name)
        }
    }

    @Test("A page of customers leads to the next page")
    func pages() async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.all)) { control in
            for name in ["ann", "bob", "cat"] {
                _ = try await control.send(CreateCustomer(app: control.app, customer: name))
            }
            let first = try await control.send(ListCustomers(app: control.app, limit: 2))
            #expect(first.customers.map(\.customer) == ["ann", "bob"])
            let second = try await control.send(ListCustomers(app: control.app, after: first.next, limit: 2))
            #expect(second.customers.map(\.customer) == ["cat"] && second.next == nil)
            #expect(try await control.refusal(of: ListCustomers(app: control.app, limit: 0)) == .init(400, "bad_query"))
        }
    }
}
