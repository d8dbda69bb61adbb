import Crypto
import Foundation
import TillControl

/// Drives the server whose URL is the argument: a subscription for a year, and one on a clock of its own.
@main
struct UsesTillControl {
    static func main() async throws {
        let till = ControlClient(CommandLine.arguments[1])
        _ = try await till.send(CreateApp(bundleId: "com.example.outside"))
        let app = AppEnvironment("com.example.outside")
        let catalog = """
            {"groups": [{"groupId": "21", "name": "Pro"}], "products": [{"productId": "pro", "type": "AUTO_RENEWABLE",
             "price": "4.99", "subscription": {"groupId": "21", "level": 1, "period": "P1M"}}]}
            """
        _ = try await till.upload(PutCatalog(bundleId: app.bundleId), Array(catalog.utf8))
        _ = try await till.send(SetClock(app: app, mode: .frozen))
        _ = try await till.send(UpdateSettings(app: app, rate: .custom(.calendar)))
        // A customer is often named by a digest of the backend's own name.
        let customer = SHA256.hash(data: Data("ann".utf8)).map { String($0, radix: 16) }.joined()
        let bought = try await till.send(BuyProduct(app: app, customer: customer, productId: "pro"))
        let report = try await till.send(AdvanceClock(app: app, by: "1y"))
        let account = try await till.send(GetCustomer(app: app, customer: customer))
        let renewals = report.notifications.first { $0.type == .didRenew }?.count ?? 0
        precondition(bought.transaction?.customer == customer)
        try await subscribeOnSlowClock(till, app)
        print("\(account.transactions) transactions, DID_RENEW \(renewals) times")
    }

    private static func subscribeOnSlowClock(_ till: ControlClient, _ app: AppEnvironment) async throws {
        let start = Timestamp(milliseconds: 1_767_225_600_000)
        _ = try await till.send(CreateClock(app: app, name: "slow", at: start))
        _ = try await till.send(CreateCustomer(app: app, customer: "eva", at: start))
        _ = try await till.send(UpdateCustomer(app: app, customer: "eva", clock: "slow"))
        let signed = try await till.send(BuyProduct(app: app, customer: "eva", productId: "pro", include: [.signed]))
        _ = try await till.send(AdvanceClock(app: app, clock: "slow", by: "P3M"))
        precondition(signed.transaction?.signedTransactionInfo != nil)
        do {
            _ = try await till.send(BuyProduct(app: app, customer: "eva", productId: "unknown"))
        } catch let failure as ControlFailure where failure.error.code == "unknown_product" {
            print("\(failure.status) \(failure.error.message)")
        }
    }
}
