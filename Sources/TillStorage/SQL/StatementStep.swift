import Foundation
import TillCore

/// A statement with its parameters.
package struct StatementStep: Sendable {
    /// The statement.
    package let statement: CommonStatement
    /// The parameters, `$1` first.
    package let arguments: [Cell]
    /// What it means that the statement wrote no row; nil if it may write none.
    package let failure: CommitFailure?

    /// A statement with its parameters.
    package init(_ statement: CommonStatement, _ arguments: [Cell], orElse failure: CommitFailure? = nil) {
        self.statement = statement
        self.arguments = arguments
        self.failure = failure
    }

    /// Writes an audit record once. Only the result and the count of a failed operation replace those of an earlier
    /// write.
    ///
    /// - Throws: `EncodingError`, which never happens for this table.
    package init(_ record: AuditRecord) throws { self.init(.putAudit, try record.cells()) }
}

/// A change as statements. It is encoded before an engine takes a connection, so that the connection only writes.
package struct PreparedChange: Sendable {
    /// The statements, in the order in which they are executed.
    package private(set) var steps: [StatementStep] = []
    /// The account that a constraint violation refers to, because another writer has written it first.
    package let first: AccountID?

    /// - Parameter decoded: Keeps the accounts with the texts of their states. If the change fails, no row has such a
    ///   text.
    /// - Throws: `EncodingError` if a value cannot be encoded.
    package init(_ change: Change, keepingAccountsIn decoded: DecodedAccounts) throws {
        first = change.accounts.first?.account.id ?? change.erasure?.account
        if let audit = change.audit { steps.append(try StatementStep(audit)) }
        // If all nodes write their accounts in the same order, they do not deadlock.
        for account in change.accounts.sorted(by: { $0.account.id < $1.account.id }) { try add(account, decoded) }
        for row in change.rows { try add(row) }
        steps += change.redemptions.map { redemption in
            StatementStep(
                .countRedemption,
                [
                    redemption.environment.cell, redemption.app.cell, redemption.productID.cell,
                    redemption.offerID.cell, redemption.limit.cell,
                ],
                orElse: .codeUsedUp(redemption)
            )
        }
        steps += try change.notifications.map { StatementStep(.insertEntry, try $0.cells()) }
        steps += change.signed.sorted { $0.id < $1.id }.map { entry in
            let content = entry.content
            let signatures = [content.bodySignature, content.transactionSignature, content.renewalSignature]
            return StatementStep(
                .signEntry,
                entry.id.place + [content.chainColumn.cell] + signatures.map(\.cell)
            )
        }
        steps += try change.deliveries.map { StatementStep(.insertDelivery, try $0.cells()) }
        steps += try change.foreignIdentifiers.map { identifier in
            StatementStep(
                .insertForeignIdentifier,
                try identifier.cells() + identifier.ownPlace,
                orElse: .identifierExists(identifier.foreign)
            )
        }
        steps += try change.documents.map { StatementStep(.putDocument, try $0.cells()) }
        if let erasure = change.erasure { add(erasure) }
    }

    private mutating func add(_ change: AccountChange, _ decoded: DecodedAccounts) throws {
        let id = change.account.id
        let cells = try AccountChange.format.cells(change)
        if case .text(let state) = cells[AccountChange.statePlace] { decoded.keep(change.account, state) }
        guard let before = change.before else {
            steps.append(StatementStep(.insertAccount, cells))
            return
        }
        let changed = AccountChange.changed(of: cells) + [before.cell]
        steps.append(StatementStep(.updateAccount, changed, orElse: .conflict(id)))
        // The account's clock determines when its pending deliveries are due.
        if change.changesClock {
            steps.append(StatementStep(.moveDeliveries, id.place + [change.account.clockName.key.cell]))
        }
    }

    private mutating func add(_ row: TransactionChange) throws {
        let cells = try row.after.cells()
        guard let before = row.before else {
            steps.append(StatementStep(.insertRow, cells))
            return
        }
        steps.append(StatementStep(.moveRow, cells + [before.cell], orElse: .conflict(row.after.account)))
    }

    private mutating func add(_ erasure: Erasure) {
        let place = erasure.account.place
        steps += [
            StatementStep(.eraseDeliveries, place), StatementStep(.eraseEntries, place),
            StatementStep(.eraseRows, place), StatementStep(.eraseForeignIdentifiers, [erasure.account.cell]),
            StatementStep(.eraseAccount, place + [erasure.version.cell], orElse: .conflict(erasure.account)),
        ]
        let owner = [erasure.scope.app.cell, erasure.scope.environment.cell, erasure.customer.cell]
        steps += [StatementStep(.eraseAuditCustomer, owner), StatementStep(.eraseAuditObject, owner)]
        steps += erasure.requestLog.map { StatementStep(.eraseRequestLogEntry, [$0.cell]) }
    }
}

extension ForeignIdentifier {
    /// The partition, the number and the order number that Till's own transaction, account or order with the same
    /// identifier has; null for what no lookup finds.
    fileprivate var ownPlace: [Cell] {
        switch kind {
        case .transaction:
            guard let number = Int64(foreign) else { return [.null, .null, .null] }
            return [Partition(of: number).number.cell, number.cell, .null]
        case .order:
            guard let order = OrderID(wireForm: foreign) else { return [.null, .null, .null] }
            return [order.partition.number.cell, .null, order.cell]
        case .lineItem: return [.null, .null, .null]
        }
    }
}

extension AccountID {
    /// The parameters `partition` and `account`.
    package var place: [Cell] { [partition.number.cell, cell] }
}
