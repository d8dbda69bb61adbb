import TillCore

/// The stored form of a transaction in every engine. The columns have a fixed order, and are written and read by index.
extension Transaction {
    /// The columns of the table `ledger`, in the order in which engines select them.
    package static let storedColumns = [
        "partition", "account", "change", "id", "original_id", "line_item", "order_number", "product",
        "subscription_group", "type", "purchase_date", "original_purchase_date", "expires_date", "quantity",
        "app_account_token", "ownership", "reason", "storefront", "price", "currency", "offer_kind", "offer_id",
        "offer_mode", "offer_period", "is_upgraded", "revocation_date", "revocation_reason", "revocation_kind",
        "revocation_percentage", "refund_number", "is_finished", "shared_from", "modified_date", "billing_plan",
        "commitment",
    ]

    /// Reads a row with as few allocations as possible, because every page of the transaction history uses this
    /// function.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ cells: some StoredCells) throws(DamagedRow) {
        do throws(DamagedRow) {
            self = try Transaction.read(cells)
        } catch {
            throw error.naming((try? cells.integer(3)).map { "id \($0)" })
        }
    }

    private static func read(_ cells: some StoredCells) throws(DamagedRow) -> Transaction {
        var price: Money?
        if let milliunits = try cells.maybeInteger(18), let currency = try cells.maybeText(19) {
            price = Money(milliunits: milliunits, currency: currency)
        }
        let order = try cells.maybeInteger(6)
        let expiresDate = try cells.maybeInteger(12)
        let sharedFrom = try cells.maybeInteger(31)
        return Transaction(
            id: TransactionID(try cells.integer(3)),
            originalID: TransactionID(try cells.integer(4)),
            account: AccountID(try cells.integer(1)),
            change: try cells.integer(2),
            lineItem: try cells.maybeInteger(5),
            order: order.map { OrderID($0) },
            productID: try cells.text(7),
            groupID: try cells.maybeText(8),
            type: try cells.known(9, ProductKind.init(rawValue:)),
            purchaseDate: Timestamp(milliseconds: try cells.integer(10)),
            originalPurchaseDate: Timestamp(milliseconds: try cells.integer(11)),
            expiresDate: expiresDate.map { Timestamp(milliseconds: $0) },
            quantity: Int(try cells.integer(13)),
            appAccountToken: try cells.maybeText(14),
            ownership: try cells.known(15, InAppOwnershipType.init(rawValue:)),
            reason: try cells.known(16, TransactionReason.init(rawValue:)),
            storefront: try cells.known(17, Storefront.init(code:)),
            price: price,
            offer: try storedOffer(cells),
            isUpgraded: try cells.integer(24) != 0,
            revocation: try storedRevocation(cells),
            refundNumber: try cells.maybeInteger(29),
            isFinished: try cells.integer(30) != 0,
            sharedFrom: sharedFrom.map { TransactionID($0) },
            modifiedDate: Timestamp(milliseconds: try cells.integer(32)),
            billingPlan: cells.isNull(33) ? nil : try cells.known(33, BillingPlanType.init(rawValue:)),
            commitment: try storedCommitment(cells)
        )
    }

    private static func storedOffer(_ cells: some StoredCells) throws(DamagedRow) -> AppliedOffer? {
        guard let number = try cells.maybeInteger(20) else { return nil }
        guard let kind = OfferType(rawValue: Int(number)) else { throw cells.strange(20) }
        let period = try cells.maybeText(23)
        return AppliedOffer(
            kind: kind,
            id: try cells.maybeText(21),
            mode: try cells.known(22, OfferDiscountType.init(rawValue:)),
            wholePeriod: period.flatMap(Period.init(iso8601:))
        )
    }

    private static func storedRevocation(_ cells: some StoredCells) throws(DamagedRow) -> Revocation? {
        guard let date = try cells.maybeInteger(25) else { return nil }
        guard let reason = RevocationReason(rawValue: Int(try cells.integer(26))) else { throw cells.strange(26) }
        let percentage = try cells.maybeInteger(28)
        return Revocation(
            date: Timestamp(milliseconds: date),
            reason: reason,
            kind: try cells.known(27, RevocationType.init(rawValue:)),
            percentage: percentage.map { Int($0) }
        )
    }

    private static func storedCommitment(_ cells: some StoredCells) throws(DamagedRow) -> Commitment? {
        guard !cells.isNull(34) else { return nil }
        return try cells.known(34, Commitment.init(stored:))
    }
}

extension Commitment {
    /// A month of a commitment as text: month, number of months, end, price and currency.
    package var stored: String {
        "\(period) \(periods) \(expiresDate.milliseconds) \(price.milliunits) \(price.currency)"
    }

    /// Reads the text that `stored` returns; nil for any other text.
    package init?(stored text: String) {
        let parts = text.split(separator: " ")
        guard
            parts.count == 5, let period = Int(parts[0]), let periods = Int(parts[1]), let end = Int64(parts[2]),
            let price = Int64(parts[3])
        else { return nil }
        self.init(
            period: period,
            periods: periods,
            expiresDate: Timestamp(milliseconds: end),
            price: Money(milliunits: price, currency: String(parts[4]))
        )
    }
}
