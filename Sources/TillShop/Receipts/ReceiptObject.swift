import TillCore
import TillJSON
import TillSigning

/// Writes the object `receipt` of a verifyReceipt response: the decoded receipt (docs/api/receipts/verify-receipt.md).
enum ReceiptObject {
    /// - Parameter requested: the time of the request on the customer's clock, in milliseconds.
    static func bytes(_ receipt: AppReceipt, requested: Timestamp) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024 + receipt.inApp.count * 1_024)
        json.put("receipt_type", receipt.receiptType)
        json.put("adam_id", receipt.appAppleID)
        json.put("app_item_id", receipt.appAppleID)
        json.put("bundle_id", receipt.bundleID)
        json.put("application_version", receipt.applicationVersion)
        json.put("download_id", receipt.downloadID)
        json.put("version_external_identifier", receipt.versionExternalIdentifier)
        json.put(.receiptCreation, Timestamp(milliseconds: receipt.creationDate))
        json.put(.request, requested)
        json.put(.originalPurchase, receipt.originalPurchaseDate.map { Timestamp(milliseconds: $0) })
        json.put("original_application_version", receipt.originalApplicationVersion)
        json.put(.preorder, receipt.preorderDate.map { Timestamp(milliseconds: $0) })
        json.put(.expiration, receipt.expirationDate.map { Timestamp(milliseconds: $0) })
        json.put("in_app", objects: receipt.inApp.map(bytes))
        return json.finish()
    }

    private static func bytes(_ item: InAppReceipt) -> [UInt8] {
        func date(_ milliseconds: Int64?) -> Timestamp? { milliseconds.map { Timestamp(milliseconds: $0) } }
        var json = JSONWriter(capacity: 1_024)
        json.put("quantity", asText: item.quantity)
        json.put("product_id", item.productID)
        json.put("transaction_id", item.transactionID)
        json.put("original_transaction_id", item.originalTransactionID)
        json.put(.purchase, date(item.purchaseDate))
        json.put(.originalPurchase, date(item.originalPurchaseDate))
        json.put(.expires, date(item.expirationDate))
        json.put(.cancellation, date(item.cancellationDate))
        json.put("web_order_line_item_id", asText: item.webOrderLineItemID)
        json.put("is_trial_period", asText: item.isTrialPeriod)
        json.put("is_in_intro_offer_period", asText: item.isInIntroOfferPeriod)
        json.put("cancellation_reason", asText: item.cancellationDate == nil ? nil : item.cancellationReason)
        json.put("promotional_offer_id", item.promotionalOfferID)
        return json.finish()
    }
}
