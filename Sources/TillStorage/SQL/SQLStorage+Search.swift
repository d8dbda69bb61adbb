import TillCore

/// Search, and comparison of snapshots.
extension SQLStorage {
    // MARK: Search

    package func accounts(named customer: String, in scopes: [AccountScope]) async throws -> [Account] {
        let keys = scopes.map { scope in
            [
                CustomerName(scope, customer).partition.number.cell, scope.environment.cell, scope.app.cell,
                customer.cell,
            ]
        }
        return try await rows(.accountByCustomer, each: keys) { try AccountRow($0) }
            .compactMap { $0.stored(knowing: decodedAccounts).account }
    }

    package func customers(_ prefix: String, in scope: AccountScope, after position: FoundCustomer?, limit: Int)
        async throws -> [FoundCustomer]
    {
        // No name contains a control character, so no name is between the position and this text.
        let start = position.map { $0.customer + "\u{1}" } ?? prefix
        let arguments: [Cell] = [
            scope.environment.cell, scope.app.cell, prefix.cell, (position?.account.partition.number ?? 0).cell,
            start.cell, (prefix + Self.lastName).cell, limit.cell,
        ]
        return try await rows(.customersByPrefix, each: [arguments]) { cells in
            FoundCustomer(account: try AccountID(cells, 0), customer: try cells.text(1))
        }
    }

    /// The greatest text of 128 bytes. Names have at most 128 bytes, so no name is after a prefix and this text.
    private static var lastName: String { String(repeating: "\u{10FFFF}", count: 32) }

    package func owners(ofToken token: String, after: AccountID?, limit: Int) async throws -> [AccountID] {
        try await rows(.ownersOfToken, each: [[token.cell, (after?.number ?? 0).cell, limit.cell]]) { cells in
            try AccountID(cells, 0)
        }
    }

    package func notification(uuid: String) async throws -> OutboxEntry? {
        try await rows(.entryByUUIDAlone, each: [[uuid.cell]]) { try OutboxEntry($0) }.first
    }

    package func foreignIdentifiers(_ text: String, in scopes: [AccountScope]) async throws -> [ForeignIdentifier] {
        let kinds: [ForeignIdentifier.Kind] = [.transaction, .order]
        let keys = scopes.flatMap { scope in
            kinds.map { [scope.environment.cell, scope.app.cell, $0.cell, text.cell] }
        }
        return try await rows(.foreignIdentifier, each: keys) { try ForeignIdentifier($0) }
    }

    // MARK: Comparison

    package func storedAccounts(of scope: AccountScope, in snapshot: String, after: AccountID?, limit: Int)
        async throws -> [StoredAccount]
    {
        let arguments: [Cell] = [
            snapshot.cell, scope.environment.cell, scope.app.cell, (after?.number ?? 0).cell, limit.cell,
        ]
        return try await rows(.accountsOfSnapshot, each: [arguments]) { try? AccountRow($0) }
            .compactMap { $0?.stored(knowing: decodedAccounts) }
    }

    package func latestTransactions(of accounts: [AccountID], in snapshot: String?, limit: Int) async throws
        -> [AccountID: [Transaction]]
    {
        let found: [Transaction]
        if let snapshot {
            let arguments = accounts.map { [snapshot.cell, $0.cell, limit.cell] }
            found = try await rows(.rowsOfSnapshot, each: arguments) { try Transaction($0) }
        } else {
            let arguments = accounts.map { $0.place + [limit.cell] }
            found = try await rows(.latestRows, each: arguments) { try Transaction($0) }
        }
        return Dictionary(grouping: found, by: \.account)
    }

    package func notificationHeads(
        of scope: AccountScope,
        in snapshot: String?,
        after position: NotificationHead.Position?,
        limit: Int
    ) async throws -> [NotificationHead] {
        let after: [Cell] = [
            (position?.signedDate.milliseconds ?? .min).cell, (position?.id.number ?? 0).cell, limit.cell,
        ]
        let arguments = (snapshot.map { [$0.cell] } ?? []) + [scope.environment.cell, scope.app.cell] + after
        return try await rows(snapshot == nil ? .heads : .headsOfSnapshot, each: [arguments]) {
            try NotificationHead($0)
        }
    }
}
