import TillCore
import TillSigning
import TillStorage

/// Changes the configuration: keys, catalogs, environment settings and shared secrets.
package struct ShopSetup: Sendable {
    let storage: any Storage
    let registry: Registry
    let locks: ShopLocks
    let clocks: Clocks
    let signals: Signals

    /// Creates an API key for a team and returns the private key, which is not stored.
    ///
    /// - Parameter app: the bundle id of the app with which the key is deleted; nil if the key stays.
    package func makeKey(named name: String, issuerID: String, deletedWith app: String? = nil)
        async throws -> (KeyRecord, Secret)
    {
        let pair = APIKeyPair.make()
        let record = KeyRecord(
            id: pair.keyID,
            issuerID: issuerID,
            name: name,
            publicKey: Base64.encode(pair.publicKey.x963),
            offersOf: nil,
            deletedWith: app,
            createdAt: clocks.wallClock(),
            revokedAt: nil
        )
        try await registry.put(record)
        return (record, pair.privateKeyPEM)
    }

    /// Imports a `.storekit` file into the catalog of an app. If the file has an error, nothing is imported.
    ///
    /// - Throws: `CatalogRefused` with every error in the file.
    package func importStoreKit(_ bytes: [UInt8], for app: AppRecord) async throws -> ImportSummary {
        let imported = try StoreKitFile.read(bytes)
        let key = try imported.offerKey.map { try offerKey($0, of: app) }
        let merged = try await updateCatalog(of: app.bundleID) { try imported.merged(into: $0) }
        if let key { try await registry.put(key) }
        return ImportSummary(
            products: imported.catalog.products.count,
            groups: imported.catalog.groups.count,
            offers: imported.catalog.products.values.reduce(0) { $0 + $1.offers.count },
            removedFromSale: merged.products.count - imported.catalog.products.count,
            version: imported.version,
            offerKeyID: key?.id
        )
    }

    /// The name of the lock that every change of an app's catalog holds.
    static func catalogLock(of bundleID: String) -> String { "catalog/\(bundleID)" }

    /// Changes an app's catalog. Only one change of the app's catalog runs at a time.
    package func updateCatalog(
        of bundleID: String,
        _ change: @Sendable (Catalog) throws -> Catalog
    ) async throws -> Catalog {
        try await locks.exclusively(Self.catalogLock(of: bundleID)) {
            let changed = try change(registry.catalog(of: bundleID))
            try await registry.put(changed, of: bundleID)
            return changed
        }
    }

    /// Changes the settings of an app's environment and discards pending deliveries to removed endpoints. Only one
    /// change runs at a time.
    @discardableResult
    package func updateRules(
        of scope: AccountScope,
        _ change: @Sendable (inout EnvironmentSettings) throws -> Void
    ) async throws -> EnvironmentSettings {
        try await locks.exclusively("rules/\(scope.environment.rawValue)/\(scope.app)") {
            let before = registry.rules(of: scope)
            var rules = before
            try change(&rules)
            guard rules != before else { return rules }
            try await registry.put(rules, of: scope)
            let targets = rules.endpoints + rules.endpoints.compactMap(\.forTests)
            for gone in before.endpoints + before.endpoints.compactMap(\.forTests)
            // Also discards version 2 deliveries to an endpoint that was changed to version 1.
            where !targets.contains(where: { $0.key == gone.key && $0.takesOnlyTests == gone.takesOnlyTests }) {
                try await storage.dropDeliveries(to: gone.key, in: scope)
            }
            // The change may allow pending deliveries.
            signals.check(clocks.names(in: scope))
            return rules
        }
    }

    // MARK: Shared secrets

    /// Sets the app's own shared secret; nil removes the secret.
    package func setSharedSecret(_ secret: String?, of app: AppRecord) async throws {
        try await locks.exclusively("app/\(app.bundleID)") {
            guard var record = registry.app(app.bundleID) else { return }
            record.sharedSecret = secret
            try await registry.put(record)
        }
    }

    /// Sets the primary secret of a team, for all its apps; nil removes the secret.
    package func setSharedSecret(_ secret: String?, of team: Team) async throws {
        try await locks.exclusively("team/\(team.issuerID)") {
            guard var record = registry.team(team.issuerID) else { return }
            record.sharedSecret = secret
            try await registry.put(record)
        }
    }

    /// Creates the record for the promotional offer key in a `.storekit` file.
    private func offerKey(_ pair: OfferKeyPair, of app: AppRecord) throws -> KeyRecord {
        let known = registry.keys(pair.id).map(\.record)
        // API keys sign offers, too. If an API key had the same id, the id would name two offer keys of the app.
        guard known.allSatisfy({ $0.offersOf != nil }) else {
            throw CatalogRefused(
                path: "$.subscriptionOffersKeyPair.id",
                expected: "a key id that no API key has",
                found: "\(pair.id), an API key"
            )
        }
        let key: VerificationKey
        do {
            key = try VerificationKey(ofPKCS8: pair.privateKey)
        } catch {
            throw CatalogRefused(
                path: "$.subscriptionOffersKeyPair.privateKey",
                expected: "a P-256 private key, PKCS#8 in Base64",
                found: "something else"
            )
        }
        return KeyRecord(
            id: pair.id,
            issuerID: app.issuerID,
            name: "offers, from a .storekit file",
            publicKey: Base64.encode(key.x963),
            offersOf: app.bundleID,
            createdAt: clocks.wallClock(),
            // A revoked key stays revoked when the file is imported again.
            revokedAt: known.first { $0.offersOf == app.bundleID }?.revokedAt
        )
    }
}

extension Shop {
    /// Changes the configuration.
    package var setup: ShopSetup {
        ShopSetup(storage: storage, registry: registry, locks: locks, clocks: clocks, signals: signals)
    }
}

/// The result of importing a `.storekit` file.
package struct ImportSummary: Equatable, Sendable {
    /// The number of products of all types in the file.
    package let products: Int
    /// The number of subscription groups in the file.
    package let groups: Int
    /// The number of offers of all kinds in the file.
    package let offers: Int
    /// The number of products that were removed from sale because the file does not contain them.
    package let removedFromSale: Int
    /// The version of the file's format, such as `5.0`; nil if the file contains no version.
    package let version: String?
    /// The id of the imported key for promotional offers; nil if the file contains none.
    package let offerKeyID: String?
}
