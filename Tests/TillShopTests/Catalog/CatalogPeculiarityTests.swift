import Foundation
import Testing
import TillCore
import TillJSON
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// Checks features of real catalog files that no documentation of the format mentions. Each feature has its own file.
/// Every file is imported, and every product is bought in both environments.
@Suite("Peculiarities of real catalog files")
struct CatalogPeculiarityTests {
    private static let names = [
        "empty-group", "foreign-storefront", "missing-storefront-price", "shared-key-pair-1", "shared-key-pair-2",
    ]
    /// The storefronts of the customers: the catalog's storefront (nil), the United States, and others with and without
    /// the catalog's currency.
    private static let places = [nil, "USA", "DEU", "JPN", "AFG"]

    private static func read(_ name: String) throws -> [UInt8] { try CatalogFixtures.bytes("peculiar/\(name)") }

    /// A shop that has imported each of these files for an app of its own.
    private func shop(importing names: [String]) async throws -> (test: TestShop, apps: [AppRecord]) {
        let test = try await TestShop()
        var apps: [AppRecord] = []
        for (place, name) in names.enumerated() {
            let app = AppRecord(
                bundleID: "com.example.app\(place)",
                appleID: Int64(place + 1),
                name: name,
                issuerID: test.app.issuerID,
                createdAt: test.now
            )
            try await test.shop.registry.put(app)
            _ = try await test.shop.setup.importStoreKit(try Self.read(name), for: app)
            apps.append(app)
        }
        return (test, apps)
    }

    @Test("Every file in the folder of peculiarities is tested")
    func complete() throws {
        let files = try CatalogFixtures.files(in: CatalogFixtures.directory.appending(path: "peculiar"))
        #expect(files.map { $0.deletingPathExtension().lastPathComponent } == Self.names)
    }

    @Test(
        "Every file can be imported beside the others, and every product can be bought in both environments",
        arguments: StoreEnvironment.allCases
    )
    func bought(in environment: StoreEnvironment) async throws {
        let (test, apps) = try await shop(importing: Self.names)
        for (app, name) in zip(apps, Self.names) {
            let catalog = test.shop.registry.catalog(of: app.bundleID)
            #expect(!catalog.products.isEmpty)
            for place in Self.places {
                let storefront = place.flatMap { Storefront(code: $0) }
                let customer = CustomerName(AccountScope(environment: environment, app: app.bundleID), place ?? "here")
                for product in catalog.products.values.sorted(by: { $0.id < $1.id }) {
                    let outcome = try await test.shop.perform(
                        .purchase(Purchase(productID: product.id, offer: .none)),
                        by: customer,
                        opening: Opening(storefront: storefront)
                    )
                    // A second plan of a group replaces the first plan, at once or at renewal.
                    guard let row = outcome.transaction, row.productID == product.id else { continue }
                    let here = storefront ?? catalog.storefront
                    #expect(row.storefront == here, "\(name): \(product.id)")
                    let price = Money(milliunits: product.prices.standard.milliunits, currency: here.currency)
                    #expect(row.price == price, "\(name): \(product.id) in \(here.code)")
                }
            }
        }
    }

    @Test("A customer without a storefront gets the file's storefront; a customer of version 0.1.0 keeps the old one")
    func defaultStorefront() async throws {
        let (test, apps) = try await shop(importing: ["missing-storefront-price"])
        let scope = AccountScope(environment: .production, app: apps[0].bundleID)
        func open(_ name: String, _ opening: Opening = Opening()) async throws -> Storefront {
            try await test.shop.openAccount(CustomerName(scope, name), opening).account.storefront
        }
        #expect(try await open("ann") == .unitedStates)
        _ = try await test.shop.setup.importStoreKit(try Self.read("foreign-storefront"), for: apps[0])
        #expect(try await open("ann") == .unitedStates)
        #expect(try await open("bob").code == "JPN")
        #expect(try await open("cem", Opening(storefront: Storefront(code: "DEU"))).code == "DEU")
        let row = try await test.shop.perform(
            .purchase(Purchase(productID: "com.example.lantern.oil")),
            by: CustomerName(scope, "dia"),
            opening: Opening()
        ).transaction
        #expect(row?.storefront.code == "JPN" && row?.price == Money(milliunits: 160_000, currency: "JPY"))
    }

    @Test(
        "If missing prices are rejected, every product is sold only in the file's storefront",
        arguments: StoreEnvironment.allCases
    )
    func refused(in environment: StoreEnvironment) async throws {
        let (test, apps) = try await shop(importing: ["foreign-storefront"])
        let scope = AccountScope(environment: environment, app: apps[0].bundleID)
        try await test.shop.setup.updateRules(of: scope) { $0.missingPrice = .refuse }
        for product in test.shop.registry.catalog(of: scope.app).products.values.sorted(by: { $0.id < $1.id }) {
            let purchase = Command.purchase(Purchase(productID: product.id, offer: .none))
            let customer = CustomerName(scope, "of \(product.id)")
            _ = try await test.shop.perform(purchase, by: customer, opening: Opening())
            let abroad = CustomerName(scope, "abroad of \(product.id)")
            await #expect(throws: Refusal.noPrice(product: product.id, offer: nil, storefront: "USA")) {
                try await test.shop.perform(purchase, by: abroad, opening: Opening(storefront: .unitedStates))
            }
        }
    }

    // MARK: The key pair that Xcode writes into the file

    /// The key pair in a file. The app's server signs promotional offers with it.
    private func pair(_ name: String) throws -> APIKeyPair {
        let key = try #require(try StoreKitFile.read(try Self.read(name)).offerKey)
        let lines = Data(key.privateKey).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN PRIVATE KEY-----\n\(lines)\n-----END PRIVATE KEY-----\n"
        return try APIKeyPair(keyID: key.id, privateKeyPEM: Secret(pem))
    }

    /// A promotional offer with a signature of the app's server.
    private func proof(of app: AppRecord, _ product: String, signedWith pair: APIKeyPair, _ test: TestShop) throws
        -> OfferProof
    {
        let claims: [String: JSONTree] = [
            "bid": .string(app.bundleID), "iss": .string(app.issuerID), "aud": .string("promotional-offer"),
            "iat": .number(String(test.now.milliseconds / 1_000)), "nonce": .string(UUID().uuidString),
            "productId": .string(product), "offerIdentifier": .string("second-firing"),
        ]
        let members = claims.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value) }
        return .promotionalJWS(offerID: "second-firing", token: try pair.sign(JSONTree.object(members).written()))
    }

    private static let files = ["shared-key-pair-1", "shared-key-pair-2"]
    private static let products = ["com.example.kiln.studio.month", "com.example.glaze.studio.month"]
    private static let keyID = "8C3D5E71"

    @Test("Two apps with the same key pair can sign offers, each for its own products")
    func sharedKeyPair() async throws {
        let (test, apps) = try await shop(importing: Self.files)
        let pair = try pair(Self.files[0])
        #expect(test.shop.registry.keys(Self.keyID).map(\.record.offersOf) == apps.map(\.bundleID))
        for (app, product) in zip(apps, Self.products) {
            let customer = CustomerName(AccountScope(environment: .sandbox, app: app.bundleID), "ann")
            let proof = try proof(of: app, product, signedWith: pair, test)
            let granted = try await test.shop.offer(grantedBy: proof, productID: product, to: customer)
            #expect(granted.choice == .promotional("second-firing"))
        }
        // The key pair belongs to these two apps, and to no other app of the team.
        let customer = CustomerName(AccountScope(environment: .sandbox, app: test.app.bundleID), "ann")
        await #expect(throws: OfferProofRefused.self) {
            let proof = try proof(of: test.app, "coins", signedWith: pair, test)
            return try await test.shop.offer(grantedBy: proof, productID: "coins", to: customer)
        }
    }

    @Test("Revoking the key of one app keeps the key of the other app, and a second import does not restore it")
    func revoked() async throws {
        let (test, apps) = try await shop(importing: Self.files)
        let pair = try pair(Self.files[0])
        var record = try #require(test.shop.registry.keys(Self.keyID).first?.record)
        record.revokedAt = test.now
        try await test.shop.registry.put(record)
        for _ in 1...2 {
            for (place, app) in apps.enumerated() {
                let customer = CustomerName(AccountScope(environment: .sandbox, app: app.bundleID), "ann")
                let proof = try proof(of: app, Self.products[place], signedWith: pair, test)
                let granted = try? await test.shop.offer(
                    grantedBy: proof,
                    productID: Self.products[place],
                    to: customer
                )
                #expect((granted == nil) == (place == 0))
                _ = try await test.shop.setup.importStoreKit(try Self.read(Self.files[place]), for: app)
            }
        }
        // The keys in memory must equal the stored keys.
        let again = try await Registry(storage: test.shop.storage)
        #expect(again.keys == test.shop.registry.keys)
        #expect(again.keys(Self.keyID).map { $0.record.revokedAt == nil } == [false, true])
    }

    @Test("A key that version 0.1.0 stored by its id belongs to the first app, and a second app has its own")
    func older() async throws {
        let (test, apps) = try await shop(importing: [Self.files[0]])
        let record = try #require(test.shop.registry.keys(Self.keyID).first?.record)
        let other = try await TestShop()
        try await other.shop.registry.put(apps[0])
        // Stores the key as version 0.1.0 stored it.
        try await other.shop.storage.put([
            Document(kind: .key, name: record.id, app: record.offersOf, encoding: record)
        ])
        let registry = try await Registry(storage: other.shop.storage)
        #expect(registry.keys(Self.keyID).map(\.record) == [record])
        var revoked = record
        revoked.revokedAt = other.now
        try await registry.put(revoked)
        let second = KeyRecord(
            id: record.id,
            issuerID: record.issuerID,
            name: "second",
            publicKey: record.publicKey,
            offersOf: "com.example.second",
            createdAt: other.now,
            revokedAt: nil
        )
        try await registry.put(second)
        let again = try await Registry(storage: other.shop.storage)
        #expect(again.keys(Self.keyID).map(\.record) == [revoked, second])
        let documents = try await other.shop.storage.documents(.key).filter { $0.name.contains(Self.keyID) }
        #expect(Set(documents.map(\.name)) == [Self.keyID, "com.example.second/\(Self.keyID)"])
    }

    @Test("An app with such a key is exported, and imported where another app has the same key")
    func imported() async throws {
        let (test, apps) = try await shop(importing: Self.files)
        var text: [UInt8] = []
        try await test.shop.snapshots.export(apps[0].bundleID) { text += $0 }
        var state = try StateImport(test.shop)
        try await state.take(text[...])
        _ = try await state.finish()
        #expect(test.shop.registry.keys(Self.keyID).map(\.record.offersOf) == apps.map(\.bundleID))
    }

    @Test("A key pair whose id is that of an API key is rejected with its path")
    func taken() async throws {
        let test = try await TestShop()
        let text = String(decoding: try Self.read(Self.files[0]), as: UTF8.self)
        let file = text.replacing("\"id\" : \"\(Self.keyID)\"", with: "\"id\" : \"\(test.key.keyID)\"")
        let refused = await #expect(throws: CatalogRefused.self) {
            try await test.shop.setup.importStoreKit(Array(file.utf8), for: test.app)
        }
        let fault = try #require(refused?.faults.first)
        #expect(fault.path == "$.subscriptionOffersKeyPair.id" && fault.found.contains(test.key.keyID))
        #expect(test.shop.registry.catalog(of: test.app.bundleID).products.isEmpty, "refused as a whole")
    }
}
