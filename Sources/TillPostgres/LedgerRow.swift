import TillCore
import TillStorage

/// How a transaction lies in its table: the columns in one fixed order, written and read by place.
enum LedgerRow {
    static let list = columns.joined(separator: ", ")
    static let columns = [
        "partition", "account", "change", "id", "original_id", "line_item", "order_number", "product",
        "subscription_group", "type", "purchase_date", "original_purchase_date", "expires_date", "quantity",
        "app_account_token", "ownership", "reason", "storefront", "price", "currency", "offer_kind", "offer_id",
        "offer_mode", "offer_period", "is_upgraded", "revocation_date", "revocation_reason", "revocation_kind",
        "revocation_percentage", "refund_number", "is_finished", "shared_from", "modified_date", "billing_plan",
        "commitment",
    ]

    static func arguments(_ row: Transaction) -> Arguments {
        Arguments(
            row.id.partition.number,
            row.account.number,
            row.change,
            row.id.number,
            row.originalID.number,
            row.lineItem,
            row.order?.number,
            row.productID,
            row.groupID,
            row.type.rawValue,
            row.purchaseDate.milliseconds,
            row.originalPurchaseDate.milliseconds,
            row.expiresDate?.milliseconds,
            row.quantity,
            row.appAccountToken,
            row.ownership.rawValue,
            row.reason.rawValue,
            row.storefront.code,
            row.price?.milliunits,
            row.price?.currency,
            row.offer?.kind.rawValue,
            row.offer?.id,
            row.offer?.mode.rawValue,
            row.offer?.wholePeriod?.iso8601,
            row.isUpgraded,
            row.revocation?.date.milliseconds,
            row.revocation?.reason.rawValue,
            row.revocation?.kind.rawValue,
            row.revocation?.percentage,
            row.refundNumber,
            row.isFinished,
            row.sharedFrom?.number,
            row.modifiedDate.milliseconds,
            row.billingPlan?.rawValue,
            row.commitment.map(text)
        )
    }

    /// A month of a commitment in few bytes: month, months, end, price, currency.
    private static func text(_ commitment: Commitment) -> String {
        "\(commitment.period) \(commitment.periods) \(commitment.expiresDate.milliseconds) "
            + "\(commitment.price.milliunits) \(commitment.price.currency)"
    }

    private static func commitment(_ row: Columns) throws -> Commitment? {
        guard let text = row.maybeText(34) else { return nil }
        let parts = text.split(separator: " ")
        guard
            parts.count == 5, let period = Int(parts[0]), let periods = Int(parts[1]), let end = Int64(parts[2]),
            let price = Int64(parts[3])
        else { throw row.damaged(34) }
        return Commitment(
            period: period,
            periods: periods,
            expiresDate: Timestamp(milliseconds: end),
            price: Money(milliunits: price, currency: String(parts[4]))
        )
    }

    /// - Parameter first: where the columns begin in the row.
    /// - Throws: `DamagedRow` for a value that no version of Till wrote.
    static func read(_ row: Row, from first: Int = 0) throws -> Transaction {
        let row = Columns(row: row, first: first)
        let currency = row.maybeText(19)
        return Transaction(
            id: TransactionID(try row.int(3)),
            originalID: TransactionID(try row.int(4)),
            account: AccountID(try row.int(1)),
            change: try row.int(2),
            lineItem: row.maybeInt(5),
            order: row.maybeInt(6).map { OrderID($0) },
            productID: try row.text(7),
            groupID: row.maybeText(8),
            type: try row.known(9, ProductType.init(rawValue:)),
            purchaseDate: Timestamp(milliseconds: try row.int(10)),
            originalPurchaseDate: Timestamp(milliseconds: try row.int(11)),
            expiresDate: row.maybeInt(12).map { Timestamp(milliseconds: $0) },
            quantity: Int(try row.int(13)),
            appAccountToken: row.maybeText(14),
            ownership: try row.known(15, Ownership.init(rawValue:)),
            reason: try row.known(16, TransactionReason.init(rawValue:)),
            storefront: try row.known(17, Storefront.init(code:)),
            price: row.maybeInt(18).flatMap { amount in currency.map { Money(milliunits: amount, currency: $0) } },
            offer: try offer(row),
            isUpgraded: try row.int(24) != 0,
            revocation: try revocation(row),
            refundNumber: row.maybeInt(29),
            isFinished: try row.int(30) != 0,
            sharedFrom: row.maybeInt(31).map { TransactionID($0) },
            modifiedDate: Timestamp(milliseconds: try row.int(32)),
            billingPlan: row.isNull(33) ? nil : try row.known(33, BillingPlan.Kind.init(rawValue:)),
            commitment: try commitment(row)
        )
    }

    private static func offer(_ row: Columns) throws -> AppliedOffer? {
        guard let number = row.maybeInt(20) else { return nil }
        guard let kind = OfferKind(rawValue: Int(number)) else { throw row.damaged(20) }
        return AppliedOffer(
            kind: kind,
            id: row.maybeText(21),
            mode: try row.known(22, OfferMode.init(rawValue:)),
            wholePeriod: row.maybeText(23).flatMap(Period.init(iso8601:))
        )
    }

    private static func revocation(_ row: Columns) throws -> Revocation? {
        guard let date = row.maybeInt(25) else { return nil }
        guard let reason = row.maybeInt(26).flatMap({ RevocationReason(rawValue: Int($0)) }) else {
            throw row.damaged(26)
        }
        return Revocation(
            date: Timestamp(milliseconds: date),
            reason: reason,
            kind: try row.known(27, Revocation.Kind.init(rawValue:)),
            percentage: row.maybeInt(28).map { Int($0) }
        )
    }

    /// The columns of a transaction in a row that may begin with others.
    private struct Columns {
        let row: Row
        let first: Int

        func isNull(_ place: Int) -> Bool { row.isNull(first + place) }
        func maybeInt(_ place: Int) -> Int64? { row.maybeInt(first + place) }
        func maybeText(_ place: Int) -> String? { row.maybeText(first + place) }
        func int(_ place: Int) throws -> Int64 { try row.int(first + place) }
        func text(_ place: Int) throws -> String { try row.text(first + place) }

        /// A text that stands for one of few values.
        func known<Value>(_ place: Int, _ make: (String) -> Value?) throws -> Value {
            guard let value = maybeText(place).flatMap(make) else { throw damaged(place) }
            return value
        }

        func damaged(_ place: Int) -> DamagedRow {
            DamagedRow(transaction: maybeInt(3) ?? 0, account: maybeInt(1) ?? 0, column: columns[place])
        }
    }
}
