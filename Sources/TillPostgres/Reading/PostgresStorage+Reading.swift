import TillCore
import TillStorage

extension PostgresStorage {
    package func account(_ id: AccountID) async throws -> Account? {
        try await accounts(.accountByID, Arguments(id.partition.number, id.number)).first?.get()
    }

    package func account(environment: StoreEnvironment, app: String, customer: String) async throws -> Account? {
        let partition = Partition(environment: environment, app: app, customer: customer)
        let arguments = Arguments(partition.number, environment.rawValue, app, customer)
        return try await accounts(.accountByCustomer, arguments).first?.get()
    }

    package func storedAccounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws
        -> [StoredAccount]
    {
        guard let scope else { return try await accounts(.accountsOfAll, Arguments(after?.number ?? 0, limit)) }
        return try await accounts(
            .accountsOfScope,
            Arguments(scope.environment.rawValue, scope.app, after?.number ?? 0, limit)
        )
    }

    /// The states are decoded after the connection is back in the pool.
    private func accounts(_ statement: Statement, _ arguments: Arguments) async throws -> [StoredAccount] {
        try await read(statement, arguments) { try AccountRow(RowCells.accounts($0)) }.map { $0.stored() }
    }

    package func owner(of id: TransactionID, in scope: AccountScope) async throws -> AccountID? {
        let arguments = Arguments(id.partition.number, id.number, scope.environment.rawValue, scope.app)
        return try await read(.ownerOfRow, arguments) { AccountID(try $0.int(0)) }.first
    }

    package func transaction(_ id: TransactionID) async throws -> Transaction? {
        try await rows(.rowByID, Arguments(id.partition.number, id.number)).first
    }

    package func transactions(in order: OrderID) async throws -> [Transaction] {
        try await rows(.rowsOfOrder, Arguments(order.partition.number, order.number))
    }

    package func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction] {
        try await rows(.refundsAfter, Arguments(account.partition.number, account.number, refundNumber, limit))
    }

    package func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction] {
        try await rows(.latestRefunds, Arguments(account.partition.number, account.number, limit)).reversed()
    }

    private func rows(_ statement: Statement, _ arguments: Arguments) async throws -> [Transaction] {
        try await read(statement, arguments) { try Transaction(RowCells.ledger($0)) }
    }
}
