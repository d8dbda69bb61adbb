import TillCore
import TillSigning

/// A date as verifyReceipt writes it: under three keys, each a text (docs/api/verify-receipt.md).
struct LegacyDate {
    /// The key of a date, and what stands behind it for the other two renderings.
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

    /// `2020-07-14 12:36:40 America/Los_Angeles`: with daylight saving, whatever the key says.
    var pacific: String { ReceiptDate.pacific(instant.milliseconds) }
}

extension PayloadWriter {
    /// A date under its three keys; nil leaves all three out.
    mutating func put(_ key: LegacyDate.Key, _ instant: Timestamp?) {
        guard let instant else { return }
        let date = LegacyDate(instant)
        let names = key.names
        put(names.text, date.text)
        put(names.milliseconds, date.milliseconds)
        put(names.pacific, date.pacific)
    }

    /// A truth as transactions of verifyReceipt have it: a text.
    mutating func put(_ key: StaticString, asText value: Bool?) {
        put(key, value.map { $0 ? "true" : "false" })
    }

    /// A truth as renewals of verifyReceipt have it: `1` or `0`, in quotes.
    mutating func put(_ key: StaticString, asDigit value: Bool?) {
        put(key, value.map { $0 ? "1" : "0" })
    }

    /// A number in quotes.
    mutating func put(_ key: StaticString, asText value: (some BinaryInteger)?) {
        put(key, value.map { String($0) })
    }
}
