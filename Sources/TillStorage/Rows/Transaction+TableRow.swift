import TillCore

extension Transaction {
    /// Reads a row of the table `ledger` in the form of exports and imports.
    ///
    /// This function accepts only values that Till writes. An engine is less strict with the rows that it stored
    /// itself.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ row: TableRow) throws(DamagedRow) {
        try self.init(TableCells.ledger(row))
        let damage = inconsistentColumn(in: row) ?? malformedText(in: row)
        if let damage { throw damage }
    }

    /// The error for the first column that contradicts another column, because it is null or because it is not null.
    private func inconsistentColumn(in row: TableRow) -> DamagedRow? {
        func isNull(_ column: String) -> Bool { row[column, of: .ledger] == .null }
        func contradiction(_ column: String) -> DamagedRow {
            damaged(column, "contradicts other columns of the row")
        }
        // An imported copy does not name the purchaser's transaction, which is on another server.
        if ownership == .purchased ? sharedFrom != nil : sharedFrom == nil && foreign == nil {
            return contradiction("shared_from")
        }
        if revocation == nil, !isNull("revocation_reason") || !isNull("revocation_kind") {
            return contradiction("revocation_date")
        }
        let isRefunded = revocation.map { $0.kind != .familyRevoke } ?? false
        if isRefunded != (refundNumber != nil) { return contradiction("refund_number") }
        if isNull("price") != isNull("currency") { return contradiction(isNull("price") ? "price" : "currency") }
        let parts = ["offer_id", "offer_mode", "offer_period"]
        if offer == nil, let column = parts.first(where: { !isNull($0) }) { return contradiction(column) }
        return nil
    }

    /// The error for the first text of a wrong form among the texts that the engines do not check.
    private func malformedText(in row: TableRow) -> DamagedRow? {
        if let price, !Self.isCurrency(price.currency) { return damaged("currency", DamagedRow.unknownValue) }
        if let offer, offer.wholePeriod == nil, row["offer_period", of: .ledger] != .null {
            return damaged("offer_period", DamagedRow.unknownValue)
        }
        if let commitment, !Self.isCurrency(commitment.price.currency) {
            return damaged("commitment", DamagedRow.unknownValue)
        }
        return nil
    }

    private func damaged(_ column: String, _ problem: String) -> DamagedRow {
        DamagedRow(table: ShopTable.ledger.rawValue, row: "id \(id.number)", column: column, problem: problem)
    }

    /// Whether the text is three capital letters, as in ISO 4217.
    private static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

extension OutboxEntry {
    /// Reads a row of the table `outbox` in the form of exports and imports.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ row: TableRow) throws(DamagedRow) { try self.init(TableCells.outbox(row)) }
}

extension Delivery {
    /// Reads a row of the table `deliveries` in the form of exports and imports.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ row: TableRow) throws(DamagedRow) { try self.init(TableCells.deliveries(row)) }
}

extension ForeignIdentifier {
    /// Reads a row, as the engines do.
    ///
    /// - Throws: `DamagedRow` if a cell has a value that no version of Till writes.
    package init(_ row: TableRow) throws(DamagedRow) { try self.init(TableCells.foreignIdentifiers(row)) }
}
