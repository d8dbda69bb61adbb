import Crypto
import Foundation
import TillControl

/// Drives the server whose URL is the argument: a subscription for a year.
@main
struct UsesTillControl {
    static func main() async throws {
        let till = ControlClient(CommandLine.arguments[1])
        _ = try await till.send(CreateApp(bundleId: "com.example.outside"))
        let app = AppEnvironment("com.example.outside")
        let catalog = """
            {"groups": [{"id": "21", "name": "Pro"}], "products": [{"id": "pro", "type": "autoRenewable", "group": "21",
             "level": 1, "period": "P1M", "price": 4990}]}
            """
        _ = try await till.upload(PutCatalog(bundleId: app.bundleId), Array(catalog.utf8))
        _ = try await till.send(SetClock(app: app, mode: .frozen, at: Timestamp(seconds: 1_768_500_000)))
        // A customer is often named by a digest of the backend's own name.
        let customer = SHA256.hash(data: Data("ann".utf8)).map { String($0, radix: 16) }.joined()
        let bought = try await till.send(BuyProduct(app: app, customer: customer, productId: "pro"))
        let report = try await till.send(AdvanceClock(app: app, by: "1y"))
        let account = try await till.send(GetCustomer(app: app, customer: customer))
        let renewals = report.notifications.first { $0.type == .didRenew }?.count ?? 0
        let expires = Date(timeIntervalSince1970: Double(account.subscriptions[0].expiresDate.milliseconds) / 1_000)
        let month = expires.formatted(.iso8601.year().month())
        precondition(bought.transaction?.customer == customer)
        print("\(account.transactions) transactions, DID_RENEW \(renewals) times, expires \(month)")
    }
}
