import Testing
import TillControl
import TillCore
import TillServer
import TillTestSupport

/// Sends typed requests to the handlers of the control API, without HTTP.
@Suite("Typed requests without HTTP")
struct ControlCallerTests {
    private let app = AppEnvironment(TestShop.bundleID)

    @Test("A typed request has the same effect and answer as a form with its properties")
    func answers() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let control = ControlCaller(test.controlAPI())
        let bought = try await control.send(BuyProduct(app: app, customer: "ann", productId: "pro"))
        #expect(bought.result == .subscribed && bought.transaction?.productId == "pro")
        let parameters = ["bundleId": TestShop.bundleID, "environment": "sandbox", "customer": "ann"]
        let shown = try await control.perform(GetCustomer.operationID, parameters) as? CustomerInfo
        #expect(shown?.subscriptions.first?.originalTransactionId == bought.transaction?.originalTransactionId)
        #expect(try await control.send(GetCustomer(app: app, customer: "ann")).transactions == 1)
    }

    @Test("A refusal of a typed request has the same code as over HTTP")
    func refusals() async throws {
        let control = ControlCaller(try await TestShop(selling: SampleCatalog.all).controlAPI())
        func code(_ request: some ControlRequest) async -> String? {
            do {
                _ = try await control.send(request)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code(GetCustomer(app: AppEnvironment("com.example.other"), customer: "ann")) == "unknown_app")
        #expect(await code(GetCustomer(app: app, customer: "ann")) == "unknown_account")
        #expect(await code(BuyProduct(app: app, customer: "ann", productId: "none")) == "unknown_product")
        #expect(await code(PutCatalog(bundleId: TestShop.bundleID)) == "unknown_operation")
    }

    @Test("Any transaction of a subscription identifies the subscription to share")
    func sharing() async throws {
        let test = try await TestShop(selling: SampleCatalog.plans)
        let control = ControlCaller(test.controlAPI())
        _ = try await control.send(SetClock(app: app, mode: .frozen))
        _ = try await control.send(UpdateSettings(app: app, rate: .custom(.calendar)))
        _ = try await control.send(CreateFamily(app: app, organizer: "ann", members: ["bob"]))
        let first = try #require(
            try await control.send(BuyProduct(app: app, customer: "ann", productId: "pro")).transaction
        )
        _ = try await control.send(AdvanceClock(app: app, by: "2mo"))
        let latest = try await control.send(GetSubscription(app: app, originalTransactionId: first.transactionId))
        #expect(latest.transactionId != first.transactionId)
        #expect(latest.subscription?.availableActions.contains(.stopSharing) == true)
        let stopped = try await control.send(
            SetSharing(app: app, transactionId: latest.transactionId, shared: false)
        )
        #expect(stopped.transaction.subscription?.availableActions.contains(.share) == true)
    }
}
