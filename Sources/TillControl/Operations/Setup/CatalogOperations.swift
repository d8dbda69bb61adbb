/// Imports an Xcode .storekit file, version 1.0 to 5.0, into the app's catalog.
public struct ImportStoreKitFile: DocumentUpload, AppRequest {
    public typealias Answer = CatalogImportInfo
    public typealias Document = JSONObject
    public static let operation = ControlOperation(.put, "/v1/apps/{bundleId}/catalog/storekit", tag: .catalog)

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// Shows the app's catalog.
public struct GetCatalog: AppRequest {
    public typealias Answer = CatalogInfo
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}/catalog", tag: .catalog)

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// Replaces the app's catalog. Products that the new catalog lacks are removed from sale.
public struct PutCatalog: DocumentUpload, AppRequest {
    public typealias Answer = CatalogInfo
    public typealias Document = CatalogInfo
    public static let operation = ControlOperation(.put, "/v1/apps/{bundleId}/catalog", tag: .catalog)

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// Adds a product, or replaces the product with the same identifier.
public struct PutProduct: DocumentUpload, AppRequest {
    public typealias Answer = ProductInfo
    public typealias Document = ProductInfo
    public static let operation = ControlOperation(.post, "/v1/apps/{bundleId}/products", tag: .catalog)

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// Adds a subscription group, or renames the group with the same identifier.
public struct PutGroup: DocumentUpload, AppRequest {
    public typealias Answer = GroupInfo
    public typealias Document = GroupInfo
    public static let operation = ControlOperation(.post, "/v1/apps/{bundleId}/groups", tag: .catalog)

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// Removes a product from sale, so that its subscriptions do not renew, or restores it.
public struct SetForSale: AppRequest {
    public typealias Answer = ProductInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/products/{productId}/sale",
        tag: .catalog
    )

    public var bundleId: String
    /// A product identifier.
    public var productId: String
    /// True restores the product; false removes it from sale. Applies to both environments.
    public var forSale: Bool

    public init(bundleId: String, productId: String, forSale: Bool) {
        self.bundleId = bundleId
        self.productId = productId
        self.forSale = forSale
    }
}
