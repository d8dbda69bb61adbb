import TillCore
import TillJSON
import TillSigning

/// A date in verifyReceipt: under three keys, as text (docs/api/receipts/verify-receipt.md).
struct LegacyDate {
    /// The key of a date, and its variants for the other two formats.
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

    /// `2020-07-14 19:36:40 Etc/GMT`.
    var text: String { ReceiptDate.gmt(instant.milliseconds) }

    /// `1594755400000`.
    var milliseconds: String { String(instant.milliseconds) }

    /// `2020-07-14 12:36:40 America/Los_Angeles`: with daylight saving time, although the key ends in `pst`.
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

    /// A Boolean as text, as in transactions of verifyReceipt.
    mutating func put(_ key: StaticString, asText value: Bool?) {
        put(key, value.map { $0 ? "true" : "false" })
    }

    /// A Boolean as `1` or `0` in quotes, as in renewals of verifyReceipt.
    mutating func put(_ key: StaticString, asDigit value: Bool?) {
        put(key, value.map { $0 ? "1" : "0" })
    }

    /// A number in quotes.
    mutating func put(_ key: StaticString, asText value: (some BinaryInteger)?) {
        put(key, value.map { String($0) })
    }
}
