import Crypto
import Foundation
import TillCore
import TillJSON

/// Writes the body of a version 1 notification (docs/api/notifications-v1.md).
enum VersionOnePayload {
    /// The `unified_receipt`: the account's data, which every version 1 notification contains.
    struct UnifiedReceipt {
        /// The app receipt in Base64.
        var latestReceipt: String
        /// The newest 100 transactions, newest first.
        var rows: [Transaction]
        /// One element for each subscription; nil for a customer without subscriptions.
        var pendingRenewals: [[UInt8]]?

        fileprivate func bytes(in environment: StoreEnvironment) -> [UInt8] {
            var json = JSONWriter(capacity: latestReceipt.utf8.count + rows.count * 1_024 + 1_024)
            json.put("environment", environment.wireName)
            json.put("status", 0)
            json.put("latest_receipt", latestReceipt)
            json.put("latest_receipt_info", objects: rows.map(LatestReceiptInfo.bytes))
            if let pendingRenewals { json.put("pending_renewal_info", objects: pendingRenewals) }
            return json.finish()
        }
    }

    /// The date on which Apple deprecated version 1.
    private static let deprecation = "Mon, 05 Jun 2023 00:00:00 GMT"

    /// - Parameter info: the renewal info of the subscription after all events at the notification's date; nil if the
    ///   notification is not about a subscription.
    static func bytes(
        _ type: VersionOneType,
        _ notification: TillCore.Notification,
        of account: Account,
        standing info: RenewalInfo?,
        password: String?,
        _ receipt: UnifiedReceipt
    ) -> [UInt8] {
        let row = notification.transaction
        let unified = receipt.bytes(in: account.environment)
        var json = JSONWriter(capacity: unified.count + 1_024)
        json.put("notification_type", type.rawValue)
        json.put("environment", account.environment == .production ? "PROD" : "Sandbox")
        json.put("password", password)
        json.put("bid", account.app)
        json.put("bvrs", account.appTransaction?.applicationVersion ?? "1.0")
        json.put("auto_renew_adam_id", info.map { String(productNumber(of: $0.autoRenewProductID, in: account.app)) })
        json.put("auto_renew_product_id", info?.autoRenewProductID)
        // A refunded subscription never renews, even if the customer had auto-renew turned on.
        json.put("auto_renew_status", asText: info.map { $0.autoRenews && notification.type != .refund })
        json.put(.autoRenewStatusChange, type == .didChangeRenewalStatus ? notification.date : nil)
        json.put("original_transaction_id", row.originalID.number)
        json.put("expiration_intent", info?.isInBillingRetry == false ? info?.expirationIntent?.rawValue : nil)
        json.put("deprecation", deprecation)
        json.put("unified_receipt", written: unified)
        return json.finish()
    }

    /// A ten-digit number for a product, which is always the same. It replaces the number that Apple assigns.
    static func productNumber(of product: String, in app: String) -> Int64 {
        let hash = SHA256.hash(data: Data("\(app)/\(product)".utf8)).prefix(7).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return 1_000_000_000 + hash % 9_000_000_000
    }
}
