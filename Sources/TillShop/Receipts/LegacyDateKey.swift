import TillCore
import TillJSON
import TillSigning

/// The three keys of a date in a verifyReceipt response, which contains every date as three strings
/// (docs/api/receipts/verify-receipt.md).
struct LegacyDateKey: Sendable {
    /// The key of the date in GMT, such as `2020-07-14 19:36:40 Etc/GMT`.
    fileprivate let text: StaticString
    /// The key of the date in milliseconds since 1970, such as `1594755400000`.
    fileprivate let milliseconds: StaticString
    /// The key of the date in Pacific time, such as `2020-07-14 12:36:40 America/Los_Angeles`. It respects daylight
    /// saving time, although the key ends in `pst`.
    fileprivate let pacific: StaticString

    private init(_ text: StaticString, _ milliseconds: StaticString, _ pacific: StaticString) {
        (self.text, self.milliseconds, self.pacific) = (text, milliseconds, pacific)
    }

    static let purchase = Self("purchase_date", "purchase_date_ms", "purchase_date_pst")
    static let originalPurchase = Self(
        "original_purchase_date",
        "original_purchase_date_ms",
        "original_purchase_date_pst"
    )
    static let expires = Self("expires_date", "expires_date_ms", "expires_date_pst")
    static let cancellation = Self("cancellation_date", "cancellation_date_ms", "cancellation_date_pst")
    static let gracePeriodExpires = Self(
        "grace_period_expires_date",
        "grace_period_expires_date_ms",
        "grace_period_expires_date_pst"
    )
    static let receiptCreation = Self("receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst")
    static let request = Self("request_date", "request_date_ms", "request_date_pst")
    static let preorder = Self("preorder_date", "preorder_date_ms", "preorder_date_pst")
    static let expiration = Self("expiration_date", "expiration_date_ms", "expiration_date_pst")
    static let autoRenewStatusChange = Self(
        "auto_renew_status_change_date",
        "auto_renew_status_change_date_ms",
        "auto_renew_status_change_date_pst"
    )
}

extension JSONWriter {
    /// Writes a date under its three keys; nil writes none.
    mutating func put(_ key: LegacyDateKey, _ instant: Timestamp?) {
        guard let instant else { return }
        put(key.text, ReceiptDate.gmt(instant.milliseconds))
        put(key.milliseconds, String(instant.milliseconds))
        put(key.pacific, ReceiptDate.pacific(instant.milliseconds))
    }

    /// Writes a Boolean as `"true"` or `"false"`, as verifyReceipt does in transactions.
    mutating func put(_ key: StaticString, asText value: Bool?) {
        put(key, value.map { $0 ? "true" : "false" })
    }

    /// Writes a Boolean as `"1"` or `"0"`, as verifyReceipt does in `pending_renewal_info`.
    mutating func put(_ key: StaticString, asDigit value: Bool?) {
        put(key, value.map { $0 ? "1" : "0" })
    }

    /// Writes a number as a string.
    mutating func put(_ key: StaticString, asText value: (some BinaryInteger)?) {
        put(key, value.map { String($0) })
    }
}
