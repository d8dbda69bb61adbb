import TillCore
import TillStorage

/// Checks that the numbers of an import are in the ranges that Till writes. The digest of a state does not prove this,
/// because anybody can compute it. Numbers out of range could overflow in later calculations.
enum NumberCheck {
    /// Dates from 1970 to the end of the year 9999, in milliseconds since 1970.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    /// Amounts in thousandths of a currency unit. The maximum is higher than the highest price, multiplied by the
    /// highest quantity and by the periods of the longest commitment.
    static let amounts: ClosedRange<Int64> = 0...(1 << 53)
    /// Any identifier. Other code checks the structure of identifiers.
    private static let identifiers: ClosedRange<Int64> = 0...Int64.max
    private static let counts: ClosedRange<Int64> = 0...1_000_000_000

    private static func range(_ range: ClosedRange<Int>) -> ClosedRange<Int64> {
        Int64(range.lowerBound)...Int64(range.upperBound)
    }

    // MARK: Columns

    /// Whether every number of a row is in its range.
    static func arePossible(in row: TableRow, of table: ShopTable) -> Bool {
        zip(row.cells, table.columns).allSatisfy { cell, column in
            guard case .integer(let number) = cell else { return true }
            return range(ofColumn: column.name).contains(number)
        }
    }

    private static func range(ofColumn name: String) -> ClosedRange<Int64> {
        switch name {
        case "price": amounts
        case "quantity": 1...10
        case "revocation_percentage": 0...100_000
        case "is_upgraded", "is_finished", "is_triggered", "is_delivered": 0...1
        case "account", "id", "original_id", "transaction_id", "line_item", "order_number", "shared_from",
            "notification":
            identifiers
        default: name == "due" || name.hasSuffix("_date") || name == "next_due" ? dates : counts
        }
    }

    // MARK: Documents

    /// The range for each key. Numbers under all other keys must be in the range of dates.
    private static let ranges: [String: ClosedRange<Int64>] = [
        "id": identifiers, "originalID": identifiers, "transaction": identifiers, "source": identifiers,
        "sharedFrom": identifiers, "account": identifiers, "organizer": identifiers, "members": identifiers,
        "lineItem": identifiers, "owner": identifiers, "replacedRefunds": identifiers,
        "order": identifiers, "position": identifiers, "milliunits": amounts,
        "quantity": 1...10, "percentage": 0...100_000, "anchorDay": 1...31,
        "anchorTime": 0...86_399_999, "paidPeriods": counts, "period": 0...1_000, "periods": 0...1_000,
        "periodCount": 0...1_000, "days": 0...1_000, "minimumPaidMonths": 0...1_000, "monthsBetweenOffers": 0...1_000,
        "monthsSinceExpiry": 0...1_000, "level": range(CatalogLimits.levels), "version": counts, "changeNumber": counts,
        "rowCount": counts, "refundNumber": counts, "heldNumber": counts, "notificationNumber": counts,
        "redemptionLimit": range(CatalogLimits.redemptions), "appAppleID": range(CatalogLimits.appleIDs),
        "change": counts, "number": counts, "renewals": counts, "succeeded": counts, "failed": counts,
    ]

    /// Whether every number in a JSON text is in the range of its key. The text must be valid JSON.
    ///
    /// - Parameter free: the keys whose numbers are not checked.
    static func arePossible(in text: String, except free: Set<String> = []) -> Bool {
        var rest = text.utf8[...]
        var key = ""
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                let word = string(&rest)
                rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
                if rest.first == UInt8(ascii: ":") { key = word }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digits = rest.prefix { isOfNumber($0) }
                rest = rest.dropFirst(digits.count)
                guard free.contains(key) || isPossible(String(Substring(digits)), ranges[key] ?? dates) else {
                    return false
                }
            default: rest = rest.dropFirst()
            }
        }
        return true
    }

    /// Removes a JSON string from the beginning of the text and returns its content with escapes. Returns an empty
    /// string if the content is longer than every key.
    private static func string(_ rest: inout Substring.UTF8View) -> String {
        rest = rest.dropFirst()
        let start = rest
        var length = 0
        while let byte = rest.first, byte != UInt8(ascii: "\"") {
            let step = byte == UInt8(ascii: "\\") ? 2 : 1
            rest = rest.dropFirst(step)
            length += step
        }
        rest = rest.dropFirst()
        return length <= 64 ? String(Substring(start.prefix(length))) : ""
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(byte)
    }

    /// Whether a number is in its range. For a fraction, such as the share in a fault rule, a fixed maximum applies.
    private static func isPossible(_ digits: String, _ range: ClosedRange<Int64>) -> Bool {
        if let number = Int64(digits) { return range.contains(number) }
        guard let number = Double(digits) else { return false }
        return number >= 0 && number <= 1_000_000_000
    }
}

extension Account {
    /// Whether the dates of redeemed win-back offers are in range. `arePossible(in:except:)` can overlook such a date,
    /// because its key is an offer identifier, which may equal a key with another range.
    var isWhole: Bool { winBackOffersTaken.values.allSatisfy { NumberCheck.dates.contains($0.milliseconds) } }
}
