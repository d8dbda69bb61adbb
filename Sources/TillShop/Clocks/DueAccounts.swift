import Logging
import TillCore
import TillStorage

/// Processes the due events of all accounts on a clock.
extension Shop {
    /// Processes all events of accounts on a clock that are due until an instant. An account that fails is quarantined;
    /// the other accounts are still processed. A temporary error is not the account's fault: it ends the work if it
    /// does not pass, so that no account is skipped.
    ///
    /// - Parameters:
    ///   - onlyHere: whether to process only the partitions of this node.
    ///   - givingWay: whether to end early when a caller waits for the exclusive lock.
    func processAllDue(
        on name: ClockName,
        until instant: Timestamp,
        _ log: AdvanceLog,
        onlyHere: Bool = false,
        givingWay: Bool = false
    ) async throws {
        while !(givingWay && gate.waitingToBeAlone > 0) {
            try checkStopping()
            // Throws when a reset, restore or import has replaced all data, because this work must then end.
            _ = try cluster?.preconditionNow()
            let limit = 256 + quarantine.all.count
            let found =
                onlyHere
                ? try await dueAccountsHere(on: name, until: instant, limit: limit)
                : try await storage.dueAccounts(on: name, until: instant, limit: limit)
            let due = found.filter { !quarantine.contains($0.id) }
            if due.count < found.count {
                let tried = Set(due.map(\.id))
                for account in found where !tried.contains(account.id) { log.quarantine(account) }
            }
            guard !due.isEmpty else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                var rest = due[...]
                func next() {
                    guard !(givingWay && gate.waitingToBeAlone > 0), let account = rest.popFirst() else { return }
                    group.addTask { try await self.processDue(account, in: name.scope, until: instant, log, givingWay) }
                }
                for _ in 0..<Self.maxAtOnce { next() }
                while try await group.next() != nil { next() }
            }
        }
    }

    private static let maxAtOnce = 32

    private func processDue(
        _ due: DueAccount,
        in scope: AccountScope,
        until instant: Timestamp,
        _ log: AdvanceLog,
        _ givingWay: Bool
    ) async throws {
        do {
            let customer = CustomerName(scope, due.customer)
            try await retrying {
                try await processDue(customer, until: instant, givingWay: givingWay) { log.add($0, in: due.id) }
            }
            quarantine.remove(due.id)
        } catch is GaveWay {
            return
        } catch let preconditionFailed as PreconditionFailed {
            throw preconditionFailed
        } catch {
            // When the server stops or all data is replaced, every account is interrupted. That is no reason to
            // quarantine an account.
            guard !locks.isStopping.value else { return }
            _ = try cluster?.preconditionNow()
            guard !Self.isTemporary(error) else { throw error }
            quarantine.add(due.id, because: error.logText)
            log.quarantine(due)
            logger.error(
                "an account was quarantined",
                metadata: ["account": "\(due.id.number)", "cause": "\(error.logText)"]
            )
        }
    }

    /// Repeats an operation that fails with a temporary error, with growing pauses.
    private func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
        for pause in Self.retryPauses {
            do {
                return try await body()
            } catch  where Self.isTemporary(error) {
                logger.warning("an account is processed again", metadata: ["cause": "\(error.logText)"])
                try await Task.sleep(for: pause)
                try checkStopping()
                _ = try cluster?.preconditionNow()
            }
        }
        return try await body()
    }

    private static let retryPauses: [Duration] = [.milliseconds(50), .milliseconds(200), .seconds(1), .seconds(2)]

    /// Whether an error is not the account's fault. When one account ends the advance, the work on others is cancelled.
    private static func isTemporary(_ error: any Error) -> Bool {
        error is CancellationError || ((error as? ShopBusy)?.isTemporary ?? error.isTransient)
    }
}
