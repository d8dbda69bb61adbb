@testable import TillSigning

/// A chain and receipts that all receipt tests share, because RSA keys are slow to create.
enum ReceiptSample {
    private static let made = Result { () throws -> (ReceiptAuthority, ReceiptChain) in
        let root = try ReceiptAuthority.make()
        return (root, try ReceiptChain.issue(under: root))
    }

    static func root() throws -> ReceiptAuthority { try made.get().0 }
    static func chain() throws -> ReceiptChain { try made.get().1 }

    static func verifier(acceptsSHA1: Bool = false) throws -> ReceiptVerifier {
        ReceiptVerifier(
            rootsDER: [try root().certificateDER],
            purchaseCertificatesDER: [try chain().purchaseCertificateDER],
            acceptsSHA1: acceptsSHA1
        )
    }

    /// 1 January 2026, in milliseconds since 1970.
    static let someDay: Int64 = 1_767_225_600_000
    static let day: Int64 = 86_400_000
    static let opaqueValue = Array(UInt8(0xF0)...0xFF)
    static let guid = Array(UInt8(0x10)...0x1F)

    static let purchase = InAppReceipt(
        kind: .nonConsumable,
        productID: "com.example.app.lifetime",
        transactionID: "2000000000001024",
        purchaseDate: someDay - 3 * day
    )

    static let subscription = {
        var receipt = InAppReceipt(
            kind: .autoRenewable,
            productID: "com.example.app.pro",
            transactionID: "2000000000003072",
            purchaseDate: someDay - day,
            originalTransactionID: "2000000000002048",
            originalPurchaseDate: someDay - 31 * day
        )
        receipt.expirationDate = someDay + 30 * day
        receipt.webOrderLineItemID = 2_000_000_000_004_096
        receipt.promotionalOfferID = "spring"
        return receipt
    }()

    static let refunded = {
        var receipt = subscription
        receipt.transactionID = "2000000000002048"
        receipt.purchaseDate = someDay - 31 * day
        receipt.expirationDate = someDay - day
        receipt.webOrderLineItemID = 2_000_000_000_003_072
        receipt.cancellationDate = someDay - 20 * day
        receipt.cancellationReason = 1
        receipt.promotionalOfferID = nil
        receipt.isTrialPeriod = true
        return receipt
    }()

    /// A receipt with three purchases.
    static let receipt = AppReceipt(
        bundleID: "com.example.app",
        applicationVersion: "42",
        creationDate: someDay,
        opaqueValue: opaqueValue,
        deviceHash: AppReceipt.deviceHash(guid: guid, opaqueValue: opaqueValue, bundleID: "com.example.app"),
        inApp: [subscription, purchase, refunded]
    )

    /// A receipt with this number of purchases.
    static func receipt(purchases: Int) -> AppReceipt {
        var receipt = receipt
        receipt.inApp = (0..<purchases).map { number in
            var purchase = subscription
            purchase.transactionID = String(2_000_000_000_000_000 + number * 1_024)
            purchase.webOrderLineItemID = Int64(2_000_000_000_000_000 + number * 1_024)
            purchase.purchaseDate += Int64(number) * day
            return purchase
        }
        return receipt
    }

    /// Replaces the first occurrence of some bytes with other bytes, at least as many.
    static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: old) }) else { return bytes }
        return bytes[..<start] + new + bytes[(start + old.count)...]
    }
}
