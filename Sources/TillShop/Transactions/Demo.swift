import Foundation
import TillCore
import TillSigning
import TillStorage

/// Creates the demo shop: an app with products of every type, and customers with a history.
package enum Demo {
    /// The product in the suggested first purchase: a consumable that every customer can buy.
    package static let suggestion = "com.example.till.demo.seeds.10"

    /// The customer with the most history: one-time purchases, a refund and an active subscription.
    package static let customer = "ann"

    /// Creates the demo shop if it does not exist, and returns its API key; nil if the app or its key was deleted.
    package static func setUp(_ shop: Shop, _ directory: DataDirectory) async throws -> DemoKey? {
        if shop.registry.app(DemoCatalog.bundleID) == nil {
            try await create(shop, directory)
        }
        guard let app = shop.registry.app(DemoCatalog.bundleID) else { return nil }
        try await createHistory(shop, app)
        let scope = AccountScope(environment: .sandbox, app: app.bundleID)
        guard
            let key = shop.registry.keys.first(where: { $0.name == keyName && $0.revokedAt == nil }),
            let ann = try await shop.storage.account(of: CustomerName(scope, customer)),
            let transaction = try await shop.storage.history(HistoryQuery(account: ann.id)).rows
                .filter({ $0.revocation == nil }).min(by: { $0.id < $1.id })
        else { return nil }
        return DemoKey(
            file: file(of: key.id, directory),
            keyID: key.id,
            issuerID: app.issuerID,
            transactionID: transaction.shownID
        )
    }

    private static let keyName = "demo"

    private static func file(of keyID: String, _ directory: DataDirectory) -> String {
        "\(directory.keys)/AuthKey_\(keyID).p8"
    }

    private static func create(_ shop: Shop, _ directory: DataDirectory) async throws {
        let now = shop.wallClock()
        let team = Team(issuerID: UUID().uuidString.lowercased(), name: "Till demo", createdAt: now)
        try await shop.registry.put(team)
        let (key, secret) = try await shop.setup.makeKey(named: keyName, issuerID: team.issuerID)
        try DataDirectory.write(secret.exposed, to: file(of: key.id, directory))
        let app = AppRecord(
            bundleID: DemoCatalog.bundleID,
            appleID: 1_000_000_001,
            name: "Till demo",
            issuerID: team.issuerID,
            createdAt: now
        )
        _ = try await shop.setup.importStoreKit(DemoCatalog.bytes, for: app)
        try await shop.registry.put(app)
        try await createHistory(shop, app)
    }

    /// Creates a history of three months: one-time purchases, a refund, a family with a shared product, an expired
    /// subscription and an active subscription.
    private static func createHistory(_ shop: Shop, _ app: AppRecord) async throws {
        let catalog = shop.registry.catalog(of: app.bundleID)
        let products = catalog.products.values.sorted { $0.id < $1.id }
        func first(_ type: ProductKind, where condition: (Product) -> Bool = { _ in true }) -> Product? {
            products.first { $0.type == type && condition($0) }
        }
        let day: Int64 = 86_400_000
        let now = shop.wallClock()
        for environment in StoreEnvironment.allCases {
            let scope = AccountScope(environment: environment, app: app.bundleID)
            // If the environment has any account, its history was already written.
            guard try await shop.storage.storedAccounts(of: scope, after: nil, limit: 1).isEmpty else { continue }
            func buy(
                _ name: String,
                _ product: Product?,
                daysAgo: Int64,
                quantity: Int = 1,
                _ place: Storefront = .unitedStates
            ) async throws -> Outcome? {
                guard let product else { return nil }
                return try await shop.perform(
                    .purchase(Purchase(productID: product.id, quantity: quantity, isFinished: true)),
                    by: CustomerName(scope, name),
                    at: now.advanced(milliseconds: -daysAgo * day),
                    opening: Opening(storefront: place)
                )
            }
            _ = try await buy(customer, first(.consumable), daysAgo: 90, quantity: 5)
            let toRefund = try await buy(customer, first(.consumable), daysAgo: 60)
            if let transaction = toRefund?.transaction {
                _ = try await shop.perform(
                    .refund(Refund(transaction: transaction.id, reason: .issueInApp)),
                    by: CustomerName(scope, customer),
                    at: now.advanced(milliseconds: -58 * day)
                )
            }
            _ = try await buy(customer, first(.nonConsumable), daysAgo: 40)
            _ = try await buy(customer, first(.autoRenewable) { $0.plan?.period.months == 12 }, daysAgo: 2)
            let germany = Storefront(code: "DEU") ?? .unitedStates
            _ = try await buy("bob", first(.nonRenewing), daysAgo: 80, germany)
            // Bob's trial ended 68 days ago, the renewal failed, and the sixty days of billing retry have ended.
            let bob = CustomerName(scope, "bob")
            _ = try await shop.perform(
                .useCard(.declinedForRenewals),
                by: bob,
                at: now.advanced(milliseconds: -79 * day)
            )
            _ = try await buy("bob", first(.autoRenewable) { $0.plan?.period.months == 1 }, daysAgo: 75, germany)
            _ = try await shop.perform(.useCard(.accepted), by: bob)
            let joined = now.advanced(milliseconds: -20 * day)
            let host = try await shop.openAccount(CustomerName(scope, "carla"), Opening(), at: joined).account
            _ = try await shop.perform(
                .joinFamily(of: host.id, named: "carla's"),
                by: CustomerName(scope, "dora"),
                at: joined,
                opening: Opening()
            )
            _ = try await buy("carla", first(.nonConsumable) { $0.isFamilyShareable }, daysAgo: 10)
        }
    }
}

/// The demo's API key, and other values for a first request.
package struct DemoKey: Sendable {
    /// The path of the file with the private key: PKCS#8 as PEM, mode 0600.
    package let file: String
    /// The key id: `kid` in the bearer token.
    package let keyID: String
    /// The demo team's issuer id: `iss` in the bearer token.
    package let issuerID: String
    /// The id of a transaction of the customer `ann` in the sandbox.
    package let transactionID: String
}
