import GRDB
import TillCore
import TillStorage

/// How a transaction lies in its table: the columns in one fixed order, written and read by place.
enum LedgerRow {
    static let columns = """
        partition, account, change, id, original_id, line_item, order_number, product, subscription_group, type, \
        purchase_date, original_purchase_date, expires_date, quantity, app_account_token, ownership, reason, \
        storefront, price, currency, offer_kind, offer_id, offer_mode, offer_period, is_upgraded, revocation_date, \
        revocation_reason, revocation_kind, revocation_percentage, refund_number, is_finished, shared_from, \
        modified_date, billing_plan, commitment
        """

    static let insert = """
        INSERT INTO ledger (\(columns)) VALUES (\(Array(repeating: "?", count: 35).joined(separator: ", ")))
        """

    static func arguments(_ row: Transaction) -> StatementArguments {
        [
            row.id.partition.number, row.account.number, row.change, row.id.number, row.originalID.number,
            row.lineItem, row.order?.number, row.productID, row.groupID, row.type.rawValue,
            row.purchaseDate.milliseconds, row.originalPurchaseDate.milliseconds, row.expiresDate?.milliseconds,
            row.quantity, row.appAccountToken, row.ownership.rawValue, row.reason.rawValue, row.storefront.code,
            row.price?.milliunits, row.price?.currency, row.offer?.kind.rawValue, row.offer?.id,
            row.offer?.mode.rawValue, row.offer?.wholePeriod?.iso8601, row.isUpgraded,
            row.revocation?.date.milliseconds, row.revocation?.reason.rawValue, row.revocation?.kind.rawValue,
            row.revocation?.percentage, row.refundNumber, row.isFinished, row.sharedFrom?.number,
            row.modifiedDate.milliseconds, row.billingPlan?.rawValue, row.commitment.map(text),
        ]
    }

    /// A month of a commitment in few bytes: month, months, end, price, currency.
    private static func text(_ commitment: Commitment) -> String {
        "\(commitment.period) \(commitment.periods) \(commitment.expiresDate.milliseconds) "
            + "\(commitment.price.milliunits) \(commitment.price.currency)"
    }

    private static func commitment(_ row: HotRow) throws -> Commitment? {
        guard let text: String = row[34] else { return nil }
        let parts = text.split(separator: " ")
        guard
            parts.count == 5, let period = Int(parts[0]), let periods = Int(parts[1]), let end = Int64(parts[2]),
            let price = Int64(parts[3])
        else { throw damaged(row, "commitment") }
        return Commitment(
            period: period,
            periods: periods,
            expiresDate: Timestamp(milliseconds: end),
            price: Money(milliunits: price, currency: String(parts[4]))
        )
    }

    /// - Throws: `DamagedRow` for a value that no version of Till wrote.
    static func read(_ row: HotRow) throws -> Transaction {
        func known<Value>(_ value: Value?, _ column: String) throws -> Value {
            guard let value else { throw damaged(row, column) }
            return value
        }
        let price: Int64? = row[18]
        let currency: String? = row[19]
        return Transaction(
            id: TransactionID(row[3]),
            originalID: TransactionID(row[4]),
            account: AccountID(row[1]),
            change: row[2],
            lineItem: row[5],
            order: (row[6] as Int64?).map { OrderID($0) },
            productID: row[7],
            groupID: row[8],
            type: try known(ProductType(rawValue: row[9]), "type"),
            purchaseDate: Timestamp(milliseconds: row[10]),
            originalPurchaseDate: Timestamp(milliseconds: row[11]),
            expiresDate: (row[12] as Int64?).map { Timestamp(milliseconds: $0) },
            quantity: row[13],
            appAccountToken: row[14],
            ownership: try known(Ownership(rawValue: row[15]), "ownership"),
            reason: try known(TransactionReason(rawValue: row[16]), "reason"),
            storefront: try known(Storefront(code: row[17]), "storefront"),
            price: price.flatMap { milliunits in currency.map { Money(milliunits: milliunits, currency: $0) } },
            offer: try offer(row),
            isUpgraded: row[24],
            revocation: try revocation(row),
            refundNumber: row[29],
            isFinished: row[30],
            sharedFrom: (row[31] as Int64?).map { TransactionID($0) },
            modifiedDate: Timestamp(milliseconds: row[32]),
            billingPlan: try (row[33] as String?).map { try known(BillingPlan.Kind(rawValue: $0), "billing_plan") },
            commitment: try commitment(row)
        )
    }

    private static func damaged(_ row: HotRow, _ column: String) -> DamagedRow {
        DamagedRow(transaction: row[3], account: row[1], column: column)
    }

    private static func offer(_ row: HotRow) throws -> AppliedOffer? {
        guard let number: Int = row[20] else { return nil }
        guard let kind = OfferKind(rawValue: number) else {
            throw damaged(row, "offer_kind")
        }
        guard let mode = (row[22] as String?).flatMap(OfferMode.init(rawValue:)) else {
            throw damaged(row, "offer_mode")
        }
        return AppliedOffer(
            kind: kind,
            id: row[21],
            mode: mode,
            wholePeriod: (row[23] as String?).flatMap(Period.init(iso8601:))
        )
    }

    private static func revocation(_ row: HotRow) throws -> Revocation? {
        guard let date: Int64 = row[25] else { return nil }
        guard let reason = (row[26] as Int?).flatMap(RevocationReason.init(rawValue:)) else {
            throw damaged(row, "revocation_reason")
        }
        guard let kind = (row[27] as String?).flatMap(Revocation.Kind.init(rawValue:)) else {
            throw damaged(row, "revocation_kind")
        }
        return Revocation(
            date: Timestamp(milliseconds: date),
            reason: reason,
            kind: kind,
            percentage: row[28]
        )
    }
}
