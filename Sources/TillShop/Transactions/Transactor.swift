import Logging
import TillCore
import TillSigning
import TillStorage

/// What a caller of ``Transactor/transact(_:locking:decide:)`` wants to happen.
enum Decision<Value: Sendable>: Sendable {
    /// Nothing is written.
    case unchanged(Value)
    /// The draft is committed; then the caller gets the value.
    case write(Draft, Value)
    /// The decision concerns accounts whose locks are not held. The value contains their keys.
    case needs(Set<String>)
}

/// A change with what other parts of the server must know about it.
struct Draft: Sendable {
    var change: Change
    /// The ledger's notifications in the change, for those who wait for them.
    var notifications: [Notification] = []
    /// The chain that signed the notifications of the change.
    let chain: SigningChain
    /// Takes over in memory what the change has written. It is called while the locks of the accounts are still held.
    var afterCommit: (@Sendable () -> Void)?
}

/// The only way to write accounts and notifications: takes the locks, lets the caller load and decide, and commits the
/// decision. If someone else changed the data meanwhile, the caller decides again. The work around it holds the lock of
/// the shop (`Shop.gate`), so that no restore comes in between.
struct Transactor: Sendable {
    let locks: AccountLocks
    let identifiers: IdentifierPool
    let commits: CommitQueue
    /// The other servers that share the database; nil if this is the only server.
    let cluster: Cluster?
    let chains: Chains
    let recentRows: RecentRows
    let signals: Signals
    let logger: Logger
    let metrics: ShopMetrics

    /// The maximum number of attempts after conflicts with concurrent writes.
    static let maxAttempts = 32

    /// Decides and commits, and returns once the result is durable.
    ///
    /// - Parameters:
    ///   - subject: what changed in the meantime if all attempts fail, for the error.
    ///   - keys: the keys of the locks to hold. Keys that the decision needs are added.
    ///   - decide: loads data and decides. It is called again after a conflict, so it must have no other effects.
    /// - Throws: the errors of `decide`; `ShopBusy` if the commit failed, or after too many conflicts; `Refusal` if an
    ///   offer code is used up; `PreconditionFailed` if the caller must read its clock again.
    func transact<Value: Sendable>(
        _ subject: String,
        locking keys: inout Set<String>,
        decide: (Set<String>) async throws -> Decision<Value>
    ) async throws -> Value {
        var attempts = 0
        while attempts < Self.maxAttempts {
            let held = keys
            var isOutdated = false
            if !locks.tryLock(held) { await locks.lock(held) }
            do {
                defer { locks.unlock(held) }
                // The precondition must be read before any data that other nodes may change.
                let precondition = try cluster?.preconditionNow()
                switch try await decide(held) {
                case .unchanged(let value): return value
                case .needs(let more):
                    keys.formUnion(more)
                    continue
                case .write(var draft, let value):
                    draft.change.writePrecondition = precondition
                    if draft.change.hasSignatures, let document = chains.document(of: draft.chain) {
                        draft.change.documents.append(document)
                    }
                    switch await commits.commit(draft.change) {
                    case .success:
                        committed(draft)
                        return value
                    case .failure(let failure): isOutdated = try self.isOutdated(after: failure)
                    }
                }
            } catch let exhausted as IdentifierPool.Exhausted {
                // The decision needs more new identifiers than are reserved.
                try await identifiers.reserve(exhausted.count)
                continue
            }
            attempts += 1
            metrics.commits.countRetry()
            if isOutdated { try await cluster?.catchUp() }
        }
        throw ShopBusy(reason: "\(subject) changed \(Self.maxAttempts) times during the request")
    }

    private func committed(_ draft: Draft) {
        draft.afterCommit?()
        if draft.change.hasSignatures { chains.keep(draft.chain) }
        recentRows.note(draft.change)
        signals.committed(draft.change, notifications: draft.notifications)
    }

    /// Whether the commit failed because another node changed the configuration on which the decision was based; false
    /// after a conflict with another writer.
    ///
    /// - Throws: the error for any other failure.
    private func isOutdated(after failure: CommitFailure) throws -> Bool {
        switch failure {
        case .conflict: return false
        case .preconditionFailed:
            // The caller chose the instant according to the clock's old state, so the caller must read the clock again.
            if WritePrecondition.held?.configurationVersion != nil { throw PreconditionFailed() }
            return true
        case .codeUsedUp(let redemption):
            throw Refusal.codeUsedUp(offer: redemption.offerID, limit: redemption.limit)
        case .identifierExists(let id): throw ImportRefused.identifierExists(id)
        default:
            logger.error("commit failed", metadata: ["cause": "\(failure.logText)"])
            throw ShopBusy(failure)
        }
    }
}
