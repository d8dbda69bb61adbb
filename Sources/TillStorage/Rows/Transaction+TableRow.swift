import TillCore

extension Transaction {
    /// Reads a row of the table `ledger` in the form of exports and imports.
    ///
    /// This function accepts only values that Till writes. An engine is less strict with the rows that it stored
    /// itself.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ row: TableRow) throws(DamagedRow) {
        let cells = TableCells.ledger(row)
        try self.init(cells)
        let damage = inconsistentColumn(in: cells) ?? malformedText(in: cells)
        if let damage { throw damage.naming("id \(id.number)") }
    }

    /// The error for the first column that contradicts another column, because it is null or because it is not null.
    private func inconsistentColumn(in cells: TableCells) -> DamagedRow? {
        func contradiction(_ place: Int) -> DamagedRow { cells.damaged(place, "contradicts other columns of the row") }
        if (ownership == .familyShared) != (sharedFrom != nil) { return contradiction(31) }
        if revocation == nil, !cells.isNull(26) || !cells.isNull(27) { return contradiction(25) }
        let isRefunded = revocation.map { $0.kind != .familyRevoke } ?? false
        if isRefunded != (refundNumber != nil) { return contradiction(29) }
        if cells.isNull(18) != cells.isNull(19) { return contradiction(cells.isNull(18) ? 18 : 19) }
        if offer == nil, let place = (21...23).first(where: { !cells.isNull($0) }) { return contradiction(place) }
        return nil
    }

    /// The error for the first text of a wrong form among the texts that the engines do not check.
    private func malformedText(in cells: TableCells) -> DamagedRow? {
        if let price, !Self.isCurrency(price.currency) { return cells.strange(19) }
        if let offer, offer.wholePeriod == nil, !cells.isNull(23) { return cells.strange(23) }
        if let commitment, !Self.isCurrency(commitment.price.currency) { return cells.strange(34) }
        return nil
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
