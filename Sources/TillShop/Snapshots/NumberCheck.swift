import TillCore
import TillJSON
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
            "notification", "own_id", "counter":
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

    /// Whether every number in a JSON text is in the range of its key; false for any other text.
    ///
    /// - Parameter free: the keys whose numbers are not checked.
    static func arePossible(in text: String, except free: Set<String> = []) -> Bool {
        guard let tree = try? JSONTree.parse(Array(text.utf8), limits: .depthOnly, keepsNull: true) else {
            return false
        }
        return arePossible(in: tree, of: "", except: free)
    }

    /// The elements of an array belong to its key.
    private static func arePossible(in tree: JSONTree, of key: String, except free: Set<String>) -> Bool {
        switch tree {
        case .number(let digits): free.contains(key) || isPossible(digits, ranges[key] ?? dates)
        case .array(let elements): elements.allSatisfy { arePossible(in: $0, of: key, except: free) }
        case .object(let members): members.allSatisfy { arePossible(in: $0.value, of: $0.key, except: free) }
        case .null, .bool, .string: true
        }
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
