import Logging
import TillCore
import TillStorage

/// Processes the due events of all accounts on a clock.
extension Shop {
    /// Processes all events of accounts on a clock that are due until an instant.
    func processAllDue(on name: ClockName, until instant: Timestamp, _ log: AdvanceLog) async throws {
        var isDone = false
        while !isDone {
            let limit = Self.pageLength + quarantine.all.count
            let found = try await storage.dueAccounts(on: name, until: instant, in: nil, limit: limit)
            isDone = try await !processDue(found, on: name, until: instant, log)
        }
    }

    /// Processes the events of accounts that are due until an instant. An account that fails is quarantined; the other
    /// accounts are still processed. A temporary error is not the account's fault: it ends the work if it does not
    /// pass, so that no account is skipped.
    ///
    /// - Parameters:
    ///   - log: counts the events of an advance.
    ///   - givingWay: whether to end early when a caller waits for the exclusive lock.
    /// - Returns: whether there were such accounts that are not quarantined.
    @discardableResult
    func processDue(
        _ found: [DueAccount],
        on name: ClockName,
        until instant: Timestamp,
        _ log: AdvanceLog?,
        givingWay: Bool = false
    ) async throws -> Bool {
        try checkStopping()
        // Throws when a reset, restore or import has replaced all data, because this work must then end.
        _ = try cluster?.preconditionNow()
        let due = found.filter { !quarantine.contains($0.id) }
        if let log, due.count < found.count {
            let tried = Set(due.map(\.id))
            for account in found where !tried.contains(account.id) { log.quarantine(account) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            var rest = due[...]
            func next() {
                guard !(givingWay && gate.waitingToBeAlone > 0), let account = rest.popFirst() else { return }
                group.addTask { try await self.process(account, in: name.scope, until: instant, log, givingWay) }
            }
            for _ in 0..<Self.maxAtOnce { next() }
            while try await group.next() != nil { next() }
        }
        return !due.isEmpty
    }

    /// The number of accounts that are found at once. The last accounts of a page end without others to overlap.
    private static let pageLength = 1_024
    /// While one half of these accounts is committed, the other half is decided. With 64 a renewal takes 15 % longer.
    private static let maxAtOnce = 256

    /// Processes the events of one account. Temporary errors are repeated, with growing pauses.
    private func process(
        _ due: DueAccount,
        in scope: AccountScope,
        until instant: Timestamp,
        _ log: AdvanceLog?,
        _ givingWay: Bool
    ) async throws {
        var pauses = Self.retryPauses[...]
        while true {
            do {
                let customer = CustomerName(scope, due.customer)
                try await transact(.processDue, by: customer, at: instant, givingWay: givingWay) {
                    log?.add($0, in: due.id)
                }
                return quarantine.remove(due.id)
            } catch is GaveWay {
                return
            } catch let preconditionFailed as PreconditionFailed {
                throw preconditionFailed
            } catch {
                // When the server stops or all data is replaced, every account is interrupted. That is no reason to
                // quarantine an account.
                guard !locks.isStopping.value else { return }
                _ = try cluster?.preconditionNow()
                guard Self.isTemporary(error) else { return quarantine(due, because: error, log) }
                guard let pause = pauses.popFirst() else { throw error }
                logger.warning("an account is processed again", metadata: ["cause": "\(error.logText)"])
                try? await Task.sleep(for: pause)
                guard !locks.isStopping.value else { return }
                try Task.checkCancellation()
                _ = try cluster?.preconditionNow()
            }
        }
    }

    private func quarantine(_ due: DueAccount, because error: any Error, _ log: AdvanceLog?) {
        quarantine.add(due.id, because: error.logText)
        log?.quarantine(due)
        logger.error(
            "an account was quarantined",
            metadata: ["account": "\(due.id.number)", "cause": "\(error.logText)"]
        )
    }

    private static let retryPauses: [Duration] = [.milliseconds(50), .milliseconds(200), .seconds(1), .seconds(2)]

    /// Whether an error is not the account's fault. When one account ends the advance, the work on others is cancelled.
    private static func isTemporary(_ error: any Error) -> Bool {
        error is CancellationError || ((error as? ShopBusy)?.isTemporary ?? error.isTransient)
    }
}
