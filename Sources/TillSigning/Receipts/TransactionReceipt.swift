/// The receipt of one transaction as in iOS 6 (`SKPaymentTransaction.transactionReceipt`): a property list as text.
/// Each property's comment names its key in the property list.
///
/// All dates are in milliseconds since 1970, UTC. Only keys with the suffix `-ms` contain the milliseconds; the other
/// dates have whole seconds. See docs/api/receipts/app-receipts.md.
package struct TransactionReceipt: Sendable, Equatable {
    /// The environment in the outer property list. It is not signed, so a caller must also look up the transaction.
    package enum Environment: String, Sendable {
        case production = "Production"
        case sandbox = "Sandbox"
    }

    /// The environment of the transaction.
    package var environment: Environment
    /// `bid`: the bundle id of the app.
    package var bundleID: String
    /// `bvrs`: the version of the app.
    package var applicationVersion: String
    /// `product-id`: the product identifier.
    package var productID: String
    /// `item-id`: the Apple ID of the product.
    package var itemID = "0"
    /// `quantity`: the quantity.
    package var quantity: Int64 = 1
    /// `transaction-id`: the transaction identifier.
    package var transactionID: String
    /// `original-transaction-id`: the original transaction identifier.
    package var originalTransactionID: String
    /// `purchase-date`, and the same key with the suffixes `-ms` and `-pst`: the purchase date.
    package var purchaseDate: Int64
    /// `original-purchase-date`, and the same key with the suffixes `-ms` and `-pst`: the purchase date of the original
    /// transaction.
    package var originalPurchaseDate: Int64
    /// `unique-identifier`: the identifier of the device, 40 hexadecimal digits.
    package var uniqueIdentifier = String(repeating: "0", count: 40)
    /// `unique-vendor-identifier`: the `identifierForVendor` of the device, a UUID.
    package var uniqueVendorIdentifier = "00000000-0000-0000-0000-000000000000"
    /// `web-order-line-item-id`: the id of a charge; nil except for subscriptions.
    package var webOrderLineItemID: String?
    /// `expires-date` in milliseconds, and the same key with the suffixes `-formatted` and `-formatted-pst`: the end of
    /// the period; nil except for subscriptions.
    package var expirationDate: Int64?

    /// Creates a receipt. The defaults are those of a first purchase with the quantity 1 in the sandbox.
    package init(
        environment: Environment = .sandbox,
        bundleID: String,
        applicationVersion: String,
        productID: String,
        transactionID: String,
        purchaseDate: Int64
    ) {
        self.environment = environment
        self.bundleID = bundleID
        self.applicationVersion = applicationVersion
        self.productID = productID
        self.transactionID = transactionID
        originalTransactionID = transactionID
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
    }

    /// Whether bytes are probably the receipt of a transaction, and not an app receipt: the first character that is not
    /// white space is `{`.
    package static func looksLike(_ bytes: [UInt8]) -> Bool {
        bytes.first { !PropertyListText.isSpace($0) } == UInt8(ascii: "{")
    }

    /// Writes the inner property list, which is signed.
    func purchaseInfo() -> String {
        var pairs: [(String, String)] = []
        func date(_ name: String, _ instant: Int64) {
            pairs.append((name, ReceiptDate.gmt(instant)))
            pairs.append(("\(name)-ms", String(instant)))
            pairs.append(("\(name)-pst", ReceiptDate.pacific(instant)))
        }
        date("original-purchase-date", originalPurchaseDate)
        pairs += [
            ("unique-identifier", uniqueIdentifier), ("original-transaction-id", originalTransactionID),
            ("bvrs", applicationVersion), ("transaction-id", transactionID), ("quantity", String(quantity)),
            ("unique-vendor-identifier", uniqueVendorIdentifier), ("product-id", productID), ("item-id", itemID),
            ("bid", bundleID),
        ]
        if let webOrderLineItemID { pairs.append(("web-order-line-item-id", webOrderLineItemID)) }
        date("purchase-date", purchaseDate)
        if let expirationDate {
            pairs.append(("expires-date", String(expirationDate)))
            pairs.append(("expires-date-formatted", ReceiptDate.gmt(expirationDate)))
            pairs.append(("expires-date-formatted-pst", ReceiptDate.pacific(expirationDate)))
        }
        return PropertyListText.write(pairs)
    }

    /// Reads the inner property list. The dates come from the keys with the suffix `-ms`.
    init(purchaseInfo: [UInt8], environment: Environment) throws(ReceiptRefusal) {
        let values = try PropertyListText.read(purchaseInfo)
        func text(_ name: String) throws(ReceiptRefusal) -> String {
            guard let value = values[name] else { throw .malformed(reason: "lacks \(name)") }
            return value
        }
        func number(_ name: String) throws(ReceiptRefusal) -> Int64 {
            guard let number = Int64(try text(name)) else { throw .malformed(reason: "has no number for \(name)") }
            return number
        }
        self.environment = environment
        bundleID = try text("bid")
        applicationVersion = try text("bvrs")
        productID = try text("product-id")
        itemID = try text("item-id")
        quantity = try number("quantity")
        transactionID = try text("transaction-id")
        originalTransactionID = try text("original-transaction-id")
        purchaseDate = try number("purchase-date-ms")
        originalPurchaseDate = try number("original-purchase-date-ms")
        uniqueIdentifier = values["unique-identifier"] ?? ""
        uniqueVendorIdentifier = values["unique-vendor-identifier"] ?? ""
        webOrderLineItemID = values["web-order-line-item-id"]
        expirationDate = values["expires-date"] == nil ? nil : try number("expires-date")
    }
}
