import Foundation
import TillCore
import TillStorage

/// Changes that are encoded as steps. The encoding is done before a connection is taken, so that the connection only
/// sends.
struct CommitBatch: Sendable {
    /// One change that is encoded as steps.
    struct Prepared: Sendable {
        /// The index of the change in the original batch.
        let place: Int
        let steps: [Step]
        /// The failure that a failed guard means, by the index of the step.
        let guards: [Int: CommitFailure]
        /// The account that a constraint violation refers to, because another writer has written it first.
        let first: AccountID?

        /// The failure to report for this change if one of its steps fails.
        func failure(_ failed: StepFailure) -> CommitFailure {
            if failed.failure.isGuard, let failure = guards[failed.step] { return failure }
            if failed.failure.isConstraint || failed.failure.isCollision, let first { return .conflict(first) }
            return CommitFailure(failed.failure)
        }
    }

    /// The changes, in the order in which they are written.
    let changes: [Prepared]
    /// The number of changes, including those that were rejected before they were sent because another write preceded
    /// them.
    let count: Int
    /// The steps that check the write precondition of the batch before anything is written.
    let checks: [Step]

    /// - Throws: `EncodingError` if a value cannot be encoded.
    init(_ changes: [Change]) throws {
        count = changes.count
        // Versions never decrease, so a change with a lower precondition is already outdated.
        let writePrecondition = changes.compactMap(\.writePrecondition).max {
            ($0.epoch, $0.configurationVersion ?? 0) < ($1.epoch, $1.configurationVersion ?? 0)
        }
        let standing = changes.enumerated().filter {
            $0.element.writePrecondition == nil || $0.element.writePrecondition == writePrecondition
        }
        let prepared = try standing.map { try Self.prepare($0.element, at: $0.offset) }
        // If all nodes write their accounts in the same order, they do not deadlock.
        let isFree = Self.isFree(standing.map(\.element))
        self.changes = isFree ? prepared.sorted { ($0.first, $0.place) < ($1.first, $1.place) } : prepared
        checks = writePrecondition.map { [Step(.lockShared), Step($0)] } ?? []
    }

    /// Whether no change of the batch can depend on another, so that any order is possible.
    private static func isFree(_ changes: [Change]) -> Bool {
        var seen: Set<AccountID> = []
        return changes.allSatisfy { change in
            change.redemptions.isEmpty && change.documents.isEmpty && change.erasure == nil
                && (!change.accounts.isEmpty || change.isEmpty)
                && change.accounts.allSatisfy { seen.insert($0.account.id).inserted }
        }
    }

    private static func prepare(_ change: Change, at place: Int) throws -> Prepared {
        var steps = change.audit.map { [Step($0)] } ?? []
        var guards: [Int: CommitFailure] = [:]
        for account in change.accounts.sorted(by: { $0.account.id < $1.account.id }) {
            if account.before != nil { guards[steps.count] = .conflict(account.account.id) }
            steps += try write(account)
        }
        for row in change.rows {
            if row.before != nil { guards[steps.count] = .conflict(row.after.account) }
            steps.append(write(row))
        }
        for redemption in change.redemptions {
            guards[steps.count] = .codeUsedUp(redemption)
            steps.append(count(redemption))
        }
        steps += change.notifications.map { Step(.insertEntry, OutboxRow.arguments($0)) }
        steps += try change.deliveries.map { Step(.insertDelivery, try DeliveryRow.arguments($0)) }
        steps += change.documents.map { Step(.putDocument, Arguments($0.kind.rawValue, $0.name, $0.app, $0.body)) }
        if let erasure = change.erasure {
            let place = Arguments(erasure.account.partition.number, erasure.account.number)
            steps += [Step(.eraseDeliveries, place), Step(.eraseEntries, place), Step(.eraseRows, place)]
            guards[steps.count] = .conflict(erasure.account)
            steps.append(Step(.eraseAccount, place + Arguments(erasure.version)))
            let owner = Arguments(erasure.scope.app, erasure.scope.environment.rawValue, erasure.customer)
            steps += [Step(.eraseAuditCustomer, owner), Step(.eraseAuditObject, owner)]
            steps += erasure.requestLog.map { Step(.eraseRequestLogEntry, Arguments($0)) }
        }
        let first = change.accounts.first?.account.id ?? change.erasure?.account
        return Prepared(place: place, steps: steps, guards: guards, first: first)
    }

    private static func write(_ change: AccountChange) throws -> [Step] {
        let account = change.account
        let key = Arguments(account.id.partition.number, account.id.number)
        let values = Arguments(
            account.version,
            account.changeNumber,
            account.rowCount,
            try account.storedState(),
            account.clockName.key,
            change.nextDue?.milliseconds
        )
        guard let before = change.before else {
            let names = Arguments(account.environment.rawValue, account.app, account.customer)
            return [Step(.insertAccount, key + values + names)]
        }
        let update = Step(.updateAccount, key + values + Arguments(before))
        guard change.changesClock else { return [update] }
        // The account's clock determines when its pending deliveries are due.
        return [update, Step(.moveDeliveries, key + Arguments(account.clockName.key))]
    }

    private static func write(_ row: TransactionChange) -> Step {
        let values = LedgerRow.arguments(row.after)
        guard let before = row.before else { return Step(.insertRow, values) }
        return Step(.moveRow, values + Arguments(before))
    }

    private static func count(_ redemption: CodeRedemption) -> Step {
        Step(
            .countRedemption,
            Arguments(
                redemption.environment.rawValue,
                redemption.app,
                redemption.productID,
                redemption.offerID,
                redemption.limit
            )
        )
    }
}

private func < (left: (AccountID?, Int), right: (AccountID?, Int)) -> Bool {
    (left.0?.number ?? 0, left.1) < (right.0?.number ?? 0, right.1)
}
