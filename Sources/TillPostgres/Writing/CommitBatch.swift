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
    /// Whether the batch changes cached configuration, or reserves identifiers.
    let changesConfiguration: Bool

    /// - Parameter decoded: Keeps the accounts with the texts of their states.
    /// - Throws: `EncodingError` if a value cannot be encoded.
    init(_ changes: [Change], keepingAccountsIn decoded: DecodedAccounts) throws {
        count = changes.count
        // Versions never decrease, so a change with a lower precondition is already outdated.
        let writePrecondition = changes.compactMap(\.writePrecondition).max {
            ($0.epoch, $0.configurationVersion ?? 0) < ($1.epoch, $1.configurationVersion ?? 0)
        }
        let standing = changes.enumerated().filter {
            $0.element.writePrecondition == nil || $0.element.writePrecondition == writePrecondition
        }
        let prepared = try standing.map { try Self.prepare($0.element, at: $0.offset, decoded) }
        // If all nodes write their accounts in the same order, they do not deadlock.
        let isFree = Self.isFree(standing.map(\.element))
        self.changes = isFree ? prepared.sorted { ($0.first, $0.place) < ($1.first, $1.place) } : prepared
        // After an import, other nodes must not commit identifiers that it reserves, nor what they decided with the old
        // catalog: it waits for their commits, and makes later decisions outdated.
        changesConfiguration = standing.contains { !$0.element.changedConfiguration.isEmpty }
        let lock = changesConfiguration ? Step(.lockAlone) : Step(.lockShared)
        checks = writePrecondition.map { [lock, Step($0)] } ?? (changesConfiguration ? [lock] : [])
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

    private static func prepare(_ change: Change, at place: Int, _ decoded: DecodedAccounts) throws -> Prepared {
        let prepared = try PreparedChange(change, keepingAccountsIn: decoded)
        var guards: [Int: CommitFailure] = [:]
        for (index, step) in prepared.steps.enumerated() { guards[index] = step.failure }
        var steps = prepared.steps.map { Step($0) }
        let changed = change.changedConfiguration
        steps += changed.map { Step(.raiseConfigurationVersion, Arguments($0)) }
        if !changed.isEmpty { steps.append(Step(.announce, Arguments(NodeMessage.configurationVersions))) }
        return Prepared(place: place, steps: steps, guards: guards, first: prepared.first)
    }
}

extension Change {
    /// The configuration versions that the change increases, in ascending order. A new chain increases none, because no
    /// decision depends on it.
    fileprivate var changedConfiguration: [String] {
        let kinds = Set(documents.map(\.kind)).intersection(DocumentKind.heldInMemory).subtracting([.chain])
        return (kinds.map(\.rawValue) + (foreignIdentifiers.isEmpty ? [] : [ConfigurationVersions.imports])).sorted()
    }
}

private func < (left: (AccountID?, Int), right: (AccountID?, Int)) -> Bool {
    (left.0?.number ?? 0, left.1) < (right.0?.number ?? 0, right.1)
}
