import TillCore

extension Transaction {
    /// Reads a row of the table `ledger` as it is exported and imported.
    ///
    /// It accepts only what Till writes: an engine reads more leniently what it stored itself.
    ///
    /// - Throws: `DamagedRow` for a value that no version of Till wrote.
    package init(_ row: TableRow) throws(DamagedRow) {
        let cells = LedgerCells(row)
        let ownership = try cells.value("ownership", Ownership.init(rawValue:))
        let sharedFrom = cells.integer("shared_from").map { TransactionID($0) }
        guard (ownership == .familyShared) == (sharedFrom != nil) else { throw cells.damaged("shared_from") }
        let revocation = try Self.revocation(cells)
        let isRefunded = revocation.map { $0.kind != .familyRevoke } ?? false
        guard isRefunded == (cells.integer("refund_number") != nil) else { throw cells.damaged("refund_number") }
        self.init(
            id: TransactionID(try cells.number("id")),
            originalID: TransactionID(try cells.number("original_id")),
            account: AccountID(try cells.number("account")),
            change: try cells.number("change"),
            lineItem: cells.integer("line_item"),
            order: cells.integer("order_number").map { OrderID($0) },
            productID: try cells.value("product") { $0 },
            groupID: cells.text("subscription_group"),
            type: try cells.value("type", ProductType.init(rawValue:)),
            purchaseDate: try cells.date("purchase_date"),
            originalPurchaseDate: try cells.date("original_purchase_date"),
            expiresDate: cells.integer("expires_date").map { Timestamp(milliseconds: $0) },
            quantity: Int(try cells.number("quantity")),
            appAccountToken: cells.text("app_account_token"),
            ownership: ownership,
            reason: try cells.value("reason", TransactionReason.init(rawValue:)),
            storefront: try cells.value("storefront", Storefront.init(code:)),
            price: try Self.price(cells),
            offer: try Self.offer(cells),
            isUpgraded: try cells.number("is_upgraded") != 0,
            revocation: revocation,
            refundNumber: cells.integer("refund_number"),
            isFinished: try cells.number("is_finished") != 0,
            sharedFrom: sharedFrom,
            modifiedDate: try cells.date("modified_date"),
            billingPlan: try cells.optional("billing_plan", BillingPlan.Kind.init(rawValue:)),
            commitment: try cells.optional("commitment", Self.commitment)
        )
    }

    private static func price(_ cells: LedgerCells) throws(DamagedRow) -> Money? {
        let currency = try cells.optional("currency", currency)
        guard let milliunits = cells.integer("price") else {
            if currency != nil { throw cells.damaged("price") }
            return nil
        }
        guard let currency else { throw cells.damaged("currency") }
        return Money(milliunits: milliunits, currency: currency)
    }

    private static func offer(_ cells: LedgerCells) throws(DamagedRow) -> AppliedOffer? {
        guard let number = cells.integer("offer_kind") else {
            for column in ["offer_id", "offer_mode", "offer_period"] where cells.text(column) != nil {
                throw cells.damaged(column)
            }
            return nil
        }
        guard let kind = OfferKind(rawValue: Int(number)) else { throw cells.damaged("offer_kind") }
        return AppliedOffer(
            kind: kind,
            id: cells.text("offer_id"),
            mode: try cells.value("offer_mode", OfferMode.init(rawValue:)),
            wholePeriod: try cells.optional("offer_period", Period.init(iso8601:))
        )
    }

    private static func revocation(_ cells: LedgerCells) throws(DamagedRow) -> Revocation? {
        let reason = cells.integer("revocation_reason")
        let kind = try cells.optional("revocation_kind", Revocation.Kind.init(rawValue:))
        guard let date = cells.integer("revocation_date") else {
            if reason != nil || kind != nil { throw cells.damaged("revocation_date") }
            return nil
        }
        guard let reason = reason.flatMap({ RevocationReason(rawValue: Int($0)) }) else {
            throw cells.damaged("revocation_reason")
        }
        guard let kind else { throw cells.damaged("revocation_kind") }
        return Revocation(
            date: Timestamp(milliseconds: date),
            reason: reason,
            kind: kind,
            percentage: cells.integer("revocation_percentage").map { Int($0) }
        )
    }

    /// The month of a commitment: month, months, end, price, currency.
    private static func commitment(_ text: String) -> Commitment? {
        let parts = text.split(separator: " ")
        guard
            parts.count == 5, let period = Int(parts[0]), let periods = Int(parts[1]), let end = Int64(parts[2]),
            let price = Int64(parts[3]), let currency = currency(String(parts[4]))
        else { return nil }
        return Commitment(
            period: period,
            periods: periods,
            expiresDate: Timestamp(milliseconds: end),
            price: Money(milliunits: price, currency: currency)
        )
    }

    /// Three capital letters, as ISO 4217 has them.
    private static func currency(_ text: String) -> String? {
        text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            ? text : nil
    }
}

/// The cells of a row of the ledger, by the names of their columns.
private struct LedgerCells {
    private static let places = Dictionary(
        uniqueKeysWithValues: ShopTable.ledger.columns.enumerated().map { ($0.element.name, $0.offset) }
    )

    private let row: TableRow

    init(_ row: TableRow) { self.row = row }

    private subscript(_ column: String) -> Cell { Self.places[column].map { row.cells[$0] } ?? .null }

    func integer(_ column: String) -> Int64? {
        if case .integer(let number) = self[column] { number } else { nil }
    }

    func text(_ column: String) -> String? {
        if case .text(let text) = self[column] { text } else { nil }
    }

    func number(_ column: String) throws(DamagedRow) -> Int64 {
        guard let number = integer(column) else { throw damaged(column) }
        return number
    }

    func date(_ column: String) throws(DamagedRow) -> Timestamp { Timestamp(milliseconds: try number(column)) }

    /// A text that stands for a value.
    func value<Value>(_ column: String, _ make: (String) -> Value?) throws(DamagedRow) -> Value {
        guard let value = text(column).flatMap(make) else { throw damaged(column) }
        return value
    }

    /// The same for a column that may be empty.
    func optional<Value>(_ column: String, _ make: (String) -> Value?) throws(DamagedRow) -> Value? {
        text(column) == nil ? nil : try value(column, make)
    }

    func damaged(_ column: String) -> DamagedRow {
        DamagedRow(transaction: integer("id") ?? 0, account: integer("account") ?? 0, column: column)
    }
}
