import TillCore
import TillSigning
import TillStorage

/// Operations on the configuration: keys and catalogs.
extension Shop {
    /// Creates an API key for a team. The private half is returned and not stored.
    package func makeKey(named name: String, issuerID: String) async throws -> (KeyRecord, Secret) {
        let pair = APIKeyPair.make()
        let record = KeyRecord(
            id: pair.keyID,
            issuerID: issuerID,
            name: name,
            publicKey: Base64.encode(pair.publicKey.x963),
            offersOf: nil,
            createdAt: wallClock(),
            revokedAt: nil
        )
        try await registry.put(record)
        return (record, pair.privateKeyPEM)
    }

    /// Imports a `.storekit` file into the catalog of an app, completely or not at all.
    ///
    /// - Throws: `CatalogRefused`, listing every fault.
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

    /// Changes a catalog, one change of an app at a time.
    package func updateCatalog(
        of bundleID: String,
        _ change: @Sendable (Catalog) throws -> Catalog
    ) async throws -> Catalog {
        try await exclusively("catalog/\(bundleID)") {
            let changed = try change(self.registry.catalog(of: bundleID))
            try await self.registry.put(changed, of: bundleID)
            return changed
        }
    }

    /// The public half of the key in a file that signs the app's promotional offers.
    private func offerKey(_ pair: OfferKeyPair, of app: AppRecord) throws -> KeyRecord {
        let known = registry.keys(pair.id).map(\.record)
        // An API key signs offers too, so one id would name two keys of the app.
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
            createdAt: wallClock(),
            // A revoked key stays revoked when the file is imported again.
            revokedAt: known.first { $0.offersOf == app.bundleID }?.revokedAt
        )
    }
}

/// The result of an import.
package struct ImportSummary: Equatable, Sendable {
    /// How many products the document has, of all types.
    package let products: Int
    /// How many groups the document has.
    package let groups: Int
    /// How many offers the document's products have, of all kinds.
    package let offers: Int
    /// Products that were for sale and are not in the file.
    package let removedFromSale: Int
    /// The version, such as `5.0`; nil if the document has none.
    package let version: String?
    /// The key that may now sign promotional offers; nil if the document has none.
    package let offerKeyID: String?
}
