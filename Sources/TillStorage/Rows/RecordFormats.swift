import TillCore

/// The table `documents`.
extension Document: StoredRow {
    package static let format = RowFormat<Document>(
        "documents",
        key: ["kind", "name"],
        [
            .stored("kind", \.kind), .stored("name", \.name), .stored("body", \.body), .stored("app", \.app),
        ]
    )

    package static let blank = Document(kind: .shop, name: "", body: "")
}

/// The table `foreign_identifiers`.
extension ForeignIdentifier: StoredRow {
    package static let format = RowFormat<ForeignIdentifier>(
        "foreign_identifiers",
        key: ["kind", "foreign_id"],
        [
            .joined(ShopTable.environment, { $0.scope.environment }) { cells, first, row throws(DamagedRow) in
                row.scope = try AccountScope(cells, first)
            },
            .derived("app") { $0.scope.app },
            .stored("kind", \.kind),
            .stored("foreign_id", \.foreign),
            .stored("account", \.account),
            .stored("own_id", \.own),
            // Null in rows of an earlier version.
            .derived("counter") { Int64?.some($0.counter ?? Identifiers.maxCounters) },
        ]
    )

    package static let blank = ForeignIdentifier(
        .transaction,
        "",
        in: OutboxEntry.blank.scope,
        of: AccountID(0),
        own: 0
    )
}

/// The table `audit`, without the number of each record.
extension AuditRecord: StoredRow {
    package static let format = RowFormat<AuditRecord>(
        "audit",
        key: ["id"],
        [
            .stored("id", \.id),
            .stored("date", \.at),
            .stored("caller", \.caller),
            .stored("address", \.address),
            .stored("operation", \.operation),
            .stored("app", \.app),
            .stored("environment", \.environment),
            .stored("customer", \.customer),
            .stored("object", \.object),
            .stored("status", \.status),
            .stored("code", \.code),
            .stored("calls", \.count),
        ]
    )

    package static let blank = AuditRecord(
        id: "",
        at: Timestamp(milliseconds: 0),
        caller: "",
        operation: "",
        status: 0
    )
}

/// The table `accounts`. `AccountRow` reads it.
extension AccountChange {
    static let format = RowFormat<AccountChange>(
        "accounts",
        key: ["account"],
        [
            .derived("partition") { $0.account.id.partition.number },
            .derived("account") { $0.account.id },
            .derived("version") { $0.account.version },
            .derived("change_number") { $0.account.changeNumber },
            .derived("row_count") { $0.account.rowCount },
            .derived(ShopTable.environment) { $0.account.environment },
            .derived("app") { $0.account.app },
            .derived("customer") { $0.account.customer },
            .derived("state") { try $0.account.storedState() },
            .derived("clock") { $0.account.clockName.key },
            .derived("next_due") { $0.nextDue },
        ]
    )

    /// The columns that no update changes. Most of them are in an index, which an update would rewrite.
    private static let constant: Set = [ShopTable.environment, "app", "customer"]
    private static let changing = format.columns.indices.filter { !constant.contains(format.columns[$0].name) }

    /// The statement that replaces an account with the version in the last parameter. The other parameters are those
    /// of `changed(of:)`.
    static var update: String {
        let names = changing.map { format.columns[$0].name }
        return StatementSQL.update(format.table, names, key: ["partition", "account"])
            + " AND version = $\(names.count + 1)"
    }

    /// The cells of the columns that an update changes, and of the key, out of all cells.
    static func changed(of cells: [Cell]) -> [Cell] { changing.map { cells[$0] } }

    /// The index of the column with the state.
    static let statePlace = format.columns.firstIndex { $0.name == "state" } ?? 0
}
