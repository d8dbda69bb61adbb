import Foundation
import TillCore
import TillJSON

/// Reads the `.storekit` files of Xcode, versions 1.0 to 5.0 (docs/catalog.md).
///
/// Hand-written files may omit `version`, `identifier` and `internalID`, use a plain number for a version or price, and
/// write `winBackOffers` with a capital B. Keys that Xcode itself rejects (`id` for `productID`, `familySharable`,
/// `freeTrial`) are rejected with a hint at the right spelling. Unknown keys are ignored.
package struct StoreKitFile {
    var reader = DocumentReader()
    var currency = Storefront.unitedStates.currency
    var catalog = Catalog()
    var paths: [String: String] = [:]
    var productCount = 0

    /// Reads a whole file, or throws all its faults.
    package static func read(_ bytes: [UInt8]) throws(CatalogRefused) -> CatalogImport {
        let tree = try CatalogRefused.tree(of: bytes)
        var file = StoreKitFile()
        return try file.file(tree)
    }

    private mutating func file(_ tree: JSONTree) throws(CatalogRefused) -> CatalogImport {
        guard let root = reader.object((tree, "$")) else { throw CatalogRefused(faults: reader.faults) }
        let sections = ["products", "nonRenewingSubscriptions", "subscriptionGroups"]
        // Without this check, any other JSON file would be an empty catalog, and its import would remove all products
        // from sale.
        guard sections.contains(where: { root[$0] != nil }) else {
            let expected = "a StoreKit configuration with " + sections.joined(separator: ", ")
            throw CatalogRefused(path: "$", expected: expected, found: "an object with none of them")
        }
        let version = version(root)
        if let settings = reader.object(root, "settings") { catalog.settings = self.settings(settings) }
        currency = Storefront(code: catalog.settings.storefront)?.currency ?? currency
        products(root, "products", StoreKitFile.productTypes)
        products(root, "nonRenewingSubscriptions", ["NonRenewingSubscription": .nonRenewing])
        for group in reader.objects(root, "subscriptionGroups", atMost: CatalogLimits.groups) {
            self.group(group)
        }
        let offerKey = offerKey(root)
        try reader.finish()
        return CatalogImport(catalog: catalog, paths: paths, offerKey: offerKey, version: version)
    }

    /// Reads the version: `{"major":4,"minor":0}` in Xcode's files; 4, 4.0 or "4.0" in hand-written files.
    private mutating func version(_ root: DocumentObject) -> String? {
        guard let value = root["version"] else { return nil }
        let path = root.path("version")
        var numbers: [Int?] = []
        switch value {
        case .object(let members):
            let object = DocumentObject(path: path, members: members)
            let major = reader.integer(object, "major", in: 0...Int.max, isRequired: true)
            let minor = reader.integer(object, "minor", in: 0...Int.max) ?? 0
            if major == nil { return nil }
            numbers = [major, minor]
        case .number(let text), .string(let text):
            numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            if numbers.count == 1 { numbers.append(0) }
        default: break
        }
        guard numbers.count == 2, let major = numbers[0], let minor = numbers[1], (1...5).contains(major), minor >= 0
        else {
            let found =
                numbers.count == 2
                ? numbers.map { $0.map(String.init) ?? "?" }.joined(separator: ".") : value.summary
            reader.fault(path, expected: "a version from 1.0 to 5.0", found: found)
            return nil
        }
        return "\(major).\(minor)"
    }

    private static let productTypes: KeyValuePairs<String, ProductKind> = [
        "Consumable": .consumable, "NonConsumable": .nonConsumable, "NonRenewingSubscription": .nonRenewing,
    ]

    private mutating func products(
        _ root: DocumentObject,
        _ key: String,
        _ types: KeyValuePairs<String, ProductKind>
    ) {
        for object in reader.objects(root, key, atMost: CatalogLimits.products) {
            let id = productID(object)
            let type = reader.choice(object, "type", of: types)
            let price = reader.money(object, "displayPrice", currency: currency)
            let isShareable = familyShareable(object)
            if isShareable, let type, type != .nonConsumable {
                let expected = "false, since a \(type.wireName) cannot be shared"
                reader.fault(object.path("familyShareable"), expected: expected, found: "true")
            }
            let referenceName = reader.text(object, "referenceName")
            let localizations = reader.localizations(object)
            guard let id, let type, let price else { continue }
            catalog.products[id] = Product(
                id: id,
                type: type,
                referenceName: referenceName ?? id,
                localizations: localizations,
                prices: PriceList(standard: price),
                isFamilyShareable: isShareable
            )
        }
    }

    private mutating func offerKey(_ root: DocumentObject) -> OfferKeyPair? {
        guard let object = reader.object(root, "subscriptionOffersKeyPair") else { return nil }
        let id = reader.identifier(object, "id")
        let expected = "Base64 of a PKCS#8 private key"
        guard let value = object["privateKey"] else {
            reader.fault(object.path("privateKey"), expected: expected, found: "nothing")
            return nil
        }
        // The text is a secret, so a fault must not repeat it. A PKCS#8 key is a DER sequence, which begins with 30.
        guard
            case .string(let text) = value, text.utf8.count <= CatalogLimits.text,
            let key = Data(base64Encoded: text, options: .ignoreUnknownCharacters), key.first == 0x30
        else {
            reader.fault(object.path("privateKey"), expected: expected, found: "something else")
            return nil
        }
        return id.map { OfferKeyPair(id: $0, privateKey: [UInt8](key)) }
    }
}

extension StoreKitFile {
    /// The identifier of a product, recorded with its location; a repeated identifier is a fault.
    mutating func productID(_ object: DocumentObject) -> String? {
        productCount += 1
        if productCount == CatalogLimits.products + 1 {
            let found = "at least \(productCount)"
            reader.fault(object.path, expected: "at most \(CatalogLimits.products) products in all", found: found)
        }
        guard !isMisspelt(object, "id", for: "productID") else { return nil }
        guard let id = reader.identifier(object, "productID") else { return nil }
        if let earlier = paths[id] {
            let found = "\"\(JSONTree.short(id))\" after \(earlier)"
            reader.fault(object.path("productID"), expected: "a unique identifier for each product", found: found)
            return nil
        }
        paths[id] = object.path
        return id
    }

    /// Whether a family can share a product.
    mutating func familyShareable(_ object: DocumentObject) -> Bool {
        guard !isMisspelt(object, "familySharable", for: "familyShareable") else { return false }
        return reader.flag(object, "familyShareable")
    }

    /// Reports a misspelt key that Xcode does not know, if the right key is absent.
    private mutating func isMisspelt(_ object: DocumentObject, _ wrong: String, for right: String) -> Bool {
        guard object[right] == nil, object[wrong] != nil else { return false }
        reader.fault(object.path(wrong), expected: "the key \"\(right)\"", found: "the key \"\(wrong)\"")
        return true
    }

    private mutating func settings(_ object: DocumentObject) -> CatalogSettings {
        var settings = CatalogSettings()
        settings.storefront = reader.storefront(object, "_storefront") ?? settings.storefront
        settings.locale = reader.identifier(object, "_locale", isRequired: false) ?? settings.locale
        settings.timeRate = reader.timeRate(object, "_timeRate") ?? settings.timeRate
        settings.isBillingGracePeriodEnabled = reader.flag(object, "_billingGracePeriodEnabled")
        // Different versions of Xcode use different names for the same setting.
        let older = reader.flag(object, "_billingIssuesEnabled")
        let newer = reader.flag(object, "_renewalBillingIssuesEnabled")
        settings.areRenewalBillingIssuesEnabled = older || newer
        settings.isAskToBuyEnabled = reader.flag(object, "_askToBuyEnabled")
        // Only a file that is synced with App Store Connect contains the Apple id. A local file may contain eight
        // hexadecimal digits, which have no meaning for Till.
        settings.appAppleID = reader.text(object, "_applicationInternalID").flatMap { text in
            appleID(text, at: object.path("_applicationInternalID"))
        }
        return settings
    }

    /// The Apple id in a text; nil if there is none.
    private mutating func appleID(_ text: String, at path: String) -> Int64? {
        let digits = text.drop { $0 == "0" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard let number = Int(digits), CatalogLimits.appleIDs.contains(number) else {
            let expected = "an Apple id of at most \(CatalogLimits.appleIDs.upperBound)"
            reader.fault(path, expected: expected, found: JSONTree.string(text).summary)
            return nil
        }
        return Int64(number)
    }
}
