import AppStoreServer
import TillControl

/// Sells a subscription with the control API of the server whose URLs are the arguments: control API, production and
/// sandbox. Then it reads the customer's history as a backend does.
@main
struct UsesAppStoreServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let till = ControlClient(arguments[1])
        let app = AppEnvironment("com.example.client")
        let client = try await client(till, app, .automatic(production: arguments[2], sandbox: arguments[3]))
        let catalog = """
            {"groups": [{"groupId": "21", "name": "Pro"}], "products": [{"productId": "pro", "type": "AUTO_RENEWABLE",
             "price": "4.99", "subscription": {"groupId": "21", "level": 1, "period": "P1M"}}]}
            """
        _ = try await till.upload(PutCatalog(bundleId: app.bundleId), Array(catalog.utf8))
        _ = try await till.send(SetClock(app: app, mode: .frozen))
        _ = try await till.send(UpdateSettings(app: app, rate: .custom(.calendar)))
        let bought = try await till.send(BuyProduct(app: app, customer: "ann", productId: "pro"))
        _ = try await till.send(AdvanceClock(app: app, by: "3y"))
        guard let id = bought.transaction?.transactionId else { return }

        var products: [String] = []
        for try await transaction in client.transactions(of: id) {
            products.append(try transaction.unverifiedPayload().productId)
        }
        let statuses = try await client.subscriptionStatuses(of: id)
        print("\(products.count) transactions of \(Set(products).sorted().joined(separator: ", "))")
        print("status \(statuses.data[0].lastTransactions[0].status) in the \(statuses.environment?.rawValue ?? "?")")
        do {
            _ = try await client.transactionInfo("999999999999999")
        } catch let error as AppStoreServerError where error.code == .transactionIdNotFound {
            print("\(error.attempts) request to \(error.server.environment?.rawValue ?? "?"): \(error.message)")
        }
    }
}

extension UsesAppStoreServer {
    /// Creates the app and a key for it.
    private static func client(
        _ till: ControlClient,
        _ app: AppEnvironment,
        _ environment: ServerEnvironment
    ) async throws -> AppStoreServerClient {
        _ = try await till.send(CreateApp(bundleId: app.bundleId))
        let created = try await till.send(CreateKey(name: "backend"))
        let key = try AppStoreKey(pem: created.privateKey ?? "", keyID: created.keyId, issuerID: created.issuerId)
        return AppStoreServerClient(key: key, bundleID: app.bundleId, environment: environment)
    }
}
