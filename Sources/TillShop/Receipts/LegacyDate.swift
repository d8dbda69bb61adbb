import TillCore
import TillJSON
import TillSigning

/// A date in a verifyReceipt response, which contains every date as three strings
/// (docs/api/receipts/verify-receipt.md).
struct LegacyDate {
    /// The three keys of a date.
    enum Key {
        case purchase
        case originalPurchase
        case expires
        case cancellation
        case gracePeriodExpires
        case receiptCreation
        case request
        case preorder
        case expiration
        case autoRenewStatusChange

        fileprivate var names: (text: StaticString, milliseconds: StaticString, pacific: StaticString) {
            switch self {
            case .purchase: ("purchase_date", "purchase_date_ms", "purchase_date_pst")
            case .originalPurchase:
                ("original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst")
            case .expires: ("expires_date", "expires_date_ms", "expires_date_pst")
            case .cancellation: ("cancellation_date", "cancellation_date_ms", "cancellation_date_pst")
            case .gracePeriodExpires:
                ("grace_period_expires_date", "grace_period_expires_date_ms", "grace_period_expires_date_pst")
            case .receiptCreation: ("receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst")
            case .request: ("request_date", "request_date_ms", "request_date_pst")
            case .preorder: ("preorder_date", "preorder_date_ms", "preorder_date_pst")
            case .expiration: ("expiration_date", "expiration_date_ms", "expiration_date_pst")
            case .autoRenewStatusChange:
                (
                    "auto_renew_status_change_date", "auto_renew_status_change_date_ms",
                    "auto_renew_status_change_date_pst"
                )
            }
        }
    }

    private let instant: Timestamp

    init(_ instant: Timestamp) { self.instant = instant }

    /// The date in GMT, such as `2020-07-14 19:36:40 Etc/GMT`.
    var text: String { ReceiptDate.gmt(instant.milliseconds) }

    /// The date in milliseconds since 1970, such as `1594755400000`.
    var milliseconds: String { String(instant.milliseconds) }

    /// The date in Pacific time, such as `2020-07-14 12:36:40 America/Los_Angeles`. It respects daylight saving time,
    /// although the key ends in `pst`.
    var pacific: String { ReceiptDate.pacific(instant.milliseconds) }
}

extension JSONWriter {
    /// Writes a date under its three keys; nil writes none.
    mutating func put(_ key: LegacyDate.Key, _ instant: Timestamp?) {
        guard let instant else { return }
        let date = LegacyDate(instant)
        let names = key.names
        put(names.text, date.text)
        put(names.milliseconds, date.milliseconds)
        put(names.pacific, date.pacific)
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
