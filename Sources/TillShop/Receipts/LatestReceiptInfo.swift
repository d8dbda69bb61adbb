import TillCore
import TillJSON

/// Writes a transaction as an element of `latest_receipt_info`. Every value is a string
/// (docs/api/receipts/verify-receipt.md).
enum LatestReceiptInfo {
    static func bytes(_ row: Transaction) -> [UInt8] {
        let isSubscription = row.type == .autoRenewable
        var json = JSONWriter(capacity: 1_536)
        json.put("quantity", asText: row.quantity)
        json.put("product_id", row.productID)
        json.put("transaction_id", row.shownID)
        json.put("original_transaction_id", row.shownOriginalID)
        json.put(.purchase, row.purchaseDate)
        json.put(.originalPurchase, row.originalPurchaseDate)
        json.put(.expires, isSubscription ? row.expiresDate : nil)
        json.put(.cancellation, row.revocation?.date)
        json.put("web_order_line_item_id", isSubscription ? row.lineItem.map { String($0) } : nil)
        json.put("is_trial_period", asText: row.isTrial)
        json.put("is_in_intro_offer_period", asText: isSubscription ? row.isIntroductoryPrice : nil)
        json.put("cancellation_reason", asText: row.revocation?.reason.rawValue)
        json.put("in_app_ownership_type", row.ownership.rawValue)
        json.put("subscription_group_identifier", row.groupID)
        json.put("is_upgraded", asText: row.isUpgraded ? true : nil)
        json.put("promotional_offer_id", row.offerID(of: .promotional))
        json.put("offer_code_ref_name", row.offerID(of: .code))
        json.put("app_account_token", row.appAccountToken)
        return json.finish()
    }
}

extension Transaction {
    /// Whether the transaction's period is the free trial of an introductory offer. Free periods of other offers do not
    /// count (docs/api/receipts/verify-receipt.md).
    var isTrial: Bool { offer?.kind == .introductory && offer?.mode == .freeTrial }

    /// Whether the transaction's period is a paid period of an introductory offer.
    var isIntroductoryPrice: Bool { offer?.kind == .introductory && offer?.mode != .freeTrial }

    /// The offer identifier if the transaction's offer is of the given kind; otherwise nil.
    func offerID(of kind: OfferType) -> String? { offer?.kind == kind ? offer?.id : nil }

    /// Whether new receipts include the transaction. They include a consumable only until the app finishes the
    /// transaction or the purchase is refunded.
    var isInReceipts: Bool { type != .consumable || (!isFinished && revocation == nil) }
}
