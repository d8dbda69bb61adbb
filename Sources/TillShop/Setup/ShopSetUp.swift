import TillCore
import TillSigning
import TillStorage

/// What an operator sets up: keys and catalogues.
extension Shop {
    /// Makes an API key for a team. The private half is given back and not kept.
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

    /// Imports a `.storekit` file over what an app sells, whole or not at all.
    ///
    /// - Throws: `CatalogRefused`, naming every fault.
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

    /// Changes what an app sells. Changes of one app wait for each other.
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

    /// The public half of the key with which a file lets an app sign its promotional offers.
    private func offerKey(_ pair: OfferKeyPair, of app: AppRecord) throws -> KeyRecord {
        let known = registry.keys(pair.id).map(\.record)
        // An API key signs offers too, so that one id would name two keys of the app.
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
            // A key that was revoked stays revoked when the file is imported again.
            revokedAt: known.first { $0.offersOf == app.bundleID }?.revokedAt
        )
    }
}

/// What an import brought.
package struct ImportSummary: Equatable, Sendable {
    /// How many the document has, of all types.
    package let products: Int
    /// How many the document has.
    package let groups: Int
    /// How many the document's products have, of all kinds.
    package let offers: Int
    /// Products that were for sale and are not in the file.
    package let removedFromSale: Int
    /// `5.0` and the like; nil for a document that does not say.
    package let version: String?
    /// The key that may sign promotional offers from now on; nil if the document has none.
    package let offerKeyID: String?
}
