import TillCore

/// The table `ledger`.
extension Transaction: StoredRow {
    package static let format = RowFormat<Transaction>(
        "ledger",
        key: ["id"],
        [
            .derived("partition") { $0.id.partition.number },
            .stored("account", \.account),
            .stored("change", \.change),
            .stored("id", \.id),
            .stored("original_id", \.originalID),
            .stored("purchase_date", \.purchaseDate),
            .stored("original_purchase_date", \.originalPurchaseDate),
            .stored("quantity", \.quantity),
            .stored("is_upgraded", \.isUpgraded),
            .stored("is_finished", \.isFinished),
            .stored("modified_date", \.modifiedDate),
            .stored("product", \.productID),
            .stored("type", \.type),
            .stored("ownership", \.ownership),
            .stored("reason", \.reason),
            .stored("storefront", \.storefront),
            .stored("line_item", \.lineItem),
            .stored("order_number", \.order),
            .stored("subscription_group", \.groupID),
            .stored("expires_date", \.expiresDate),
            .stored("app_account_token", \.appAccountToken),
            .joined("price", { $0.price?.milliunits }, readPrice),
            .derived("currency") { $0.price?.currency },
            .joined("offer_kind", { $0.offer?.kind }, readOffer),
            .derived("offer_id") { $0.offer?.id },
            .derived("offer_mode") { $0.offer?.mode },
            .derived("offer_period") { $0.offer?.wholePeriod?.iso8601 },
            .joined("revocation_date", { $0.revocation?.date }, readRevocation),
            .derived("revocation_reason") { $0.revocation?.reason },
            .derived("revocation_kind") { $0.revocation?.kind },
            .derived("revocation_percentage") { $0.revocation?.percentage },
            .stored("refund_number", \.refundNumber),
            .stored("shared_from", \.sharedFrom),
            .stored("billing_plan", \.billingPlan),
            .stored("commitment", \.commitment),
            .stored("foreign_ids", \.foreign),
        ]
    )

    /// Reads a row, as every `StoredRow` does. Modules that read pages of transactions call this function, because they
    /// would not compile the generic one for this type.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package static func read(_ cells: any StoredCells) throws(DamagedRow) -> Transaction { try Transaction(cells) }

    package static let blank = Transaction(
        id: TransactionID(0),
        originalID: TransactionID(0),
        account: AccountID(0),
        change: 0,
        lineItem: nil,
        order: nil,
        productID: "",
        groupID: nil,
        type: .consumable,
        purchaseDate: Timestamp(milliseconds: 0),
        originalPurchaseDate: Timestamp(milliseconds: 0),
        expiresDate: nil,
        quantity: 1,
        appAccountToken: nil,
        ownership: .purchased,
        reason: .purchase,
        storefront: .unitedStates,
        price: nil,
        offer: nil,
        isUpgraded: false,
        revocation: nil,
        refundNumber: nil,
        isFinished: false,
        sharedFrom: nil,
        modifiedDate: Timestamp(milliseconds: 0)
    )

    private static let readPrice: RowFormat<Transaction>.Read = { cells, first, row throws(DamagedRow) in
        guard let milliunits = try Int64?(cells, first), let currency = try String?(cells, first + 1) else { return }
        row.price = Money(milliunits: milliunits, currency: currency)
    }

    private static let readOffer: RowFormat<Transaction>.Read = { cells, first, row throws(DamagedRow) in
        guard let kind = try OfferType?(cells, first) else { return }
        row.offer = AppliedOffer(
            kind: kind,
            id: try String?(cells, first + 1),
            mode: try OfferDiscountType(cells, first + 2),
            wholePeriod: try String?(cells, first + 3).flatMap(Period.init(iso8601:))
        )
    }

    private static let readRevocation: RowFormat<Transaction>.Read = { cells, first, row throws(DamagedRow) in
        guard let date = try Timestamp?(cells, first) else { return }
        row.revocation = Revocation(
            date: date,
            reason: try RevocationReason(cells, first + 1),
            kind: try RevocationType(cells, first + 2),
            percentage: try Int?(cells, first + 3)
        )
    }
}

/// A month of a commitment is stored as text: month, number of months, end, price and currency.
extension Commitment: CellValue {
    package static var kind: ShopTable.Column.Kind { .text }

    package var cell: Cell {
        .text("\(period) \(periods) \(expiresDate.milliseconds) \(price.milliunits) \(price.currency)")
    }

    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) {
        let parts = try cells.text(place).split(separator: " ")
        guard
            parts.count == 5, let period = Int(parts[0]), let periods = Int(parts[1]), let end = Int64(parts[2]),
            let price = Int64(parts[3])
        else { throw cells.strange(place) }
        self.init(
            period: period,
            periods: periods,
            expiresDate: Timestamp(milliseconds: end),
            price: Money(milliunits: price, currency: String(parts[4]))
        )
    }
}

/// The ids of another server are stored as text: transaction, original transaction, app transaction and order. A dash
/// stands for an id that is not known.
extension ForeignIDs: CellValue {
    package static var kind: ShopTable.Column.Kind { .text }

    package var cell: Cell {
        .text([transaction, original, account, order].map { $0 ?? "-" }.joined(separator: " "))
    }

    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) {
        let parts = try cells.text(place).split(separator: " ").map { $0 == "-" ? nil : String($0) }
        guard parts.count == 4, parts.allSatisfy({ ($0?.utf8.count ?? 0) <= 64 }) else { throw cells.strange(place) }
        self.init(transaction: parts[0], original: parts[1], account: parts[2], order: parts[3])
    }
}
