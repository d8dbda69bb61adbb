import Logging
import TillCore
import TillStorage

/// Runs jobs: bulk operations on many accounts. A job processes each account once, one at a time, and continues after
/// an interruption.
package struct JobRunner: Sendable {
    let shop: Shop
    private var jobs: Jobs { shop.jobs }

    /// Starts a job, or schedules it. A job with the same id is not started again.
    ///
    /// A scheduled job takes effect for a customer when the customer's clock shows the instant. If that clock is
    /// already past the instant, the job takes effect now, at the time that the clock shows.
    ///
    /// - Parameters:
    ///   - id: the id of the job; nil creates an id.
    ///   - instant: when the job takes effect. Nil is now, for every customer, and the job is then complete on return.
    /// - Returns: the job with its present progress.
    /// - Throws: `ClockRefused` if the environment's clock is already past the instant.
    package func start(
        _ task: Job.Work,
        in scope: AccountScope,
        at instant: Timestamp? = nil,
        id: String? = nil
    ) async throws -> JobRecord {
        let present = shop.now(in: scope)
        // A client may repeat its request when the instant of the job is already past.
        let isKnown = if let id { try await jobs.job(id) != nil } else { false }
        if !isKnown { try jobs.checkStart(at: instant, in: scope) }
        let at = max(instant ?? present, present)
        var stored = try await jobs.add(task, in: scope, at: at, isScheduled: instant != nil, id: id)
        let clocks = jobs.clocks(of: stored)
        // If the job is interrupted, the ticker continues it.
        defer { for clock in clocks { shop.signals.planned(clock) } }
        for clock in clocks where stored.at <= shop.now(on: clock) && jobs.isPending(stored, on: clock) {
            stored = try await run(stored, on: clock)
        }
        return stored
    }

    /// Starts a job without waiting for its end. If the job is interrupted, the ticker continues it.
    ///
    /// - Returns: the stored job; an earlier request with the same id may have stored it.
    @discardableResult
    package func begin(_ task: Job.Work, in scope: AccountScope, id: String) async throws -> JobRecord {
        let stored = try await jobs.add(task, in: scope, at: shop.now(in: scope), isScheduled: false, id: id)
        guard stored.state != .done else { return stored }
        // Detached, because the job goes on after the work that began it.
        Task.detached {
            do {
                _ = try await shop.gate.shared { try await run(stored, on: ClockName(scope)) }
            } catch {
                shop.logger.error("a job was interrupted", metadata: ["job": "\(id)", "cause": "\(error.logText)"])
                shop.signals.planned(ClockName(scope))
            }
        }
        return stored
    }

    /// The id of the job for a mass extension. It depends on the request, the product, the app and the environment, but
    /// not on the client that sends the request.
    package func id(ofExtension request: String, of productID: String, in scope: AccountScope) -> String {
        shop.identifiers.uuid("extend/\(scope.environment.rawValue)/\(scope.app)/\(productID)/\(request)")
    }

    /// Runs a job for all remaining customers on a clock.
    ///
    /// - Parameter log: counts what the job did; nil if no advance is in progress.
    @discardableResult
    func run(_ record: JobRecord, on clock: ClockName, _ log: AdvanceLog? = nil) async throws -> JobRecord {
        try await shop.locks.exclusively("job-run/\(record.id)") {
            guard var running = try await jobs.job(record.id) else { return record }
            guard jobs.isPending(running, on: clock) else { return running }
            if clock.own == nil { running.state = .running }
            var position = running.position(on: clock)
            while true {
                let page = try await shop.storage.storedAccounts(of: running.scope, after: position, limit: 100)
                guard let last = page.last else { break }
                try shop.checkStopping()
                for stored in page {
                    switch stored {
                    case .sound(let account) where running.concerns(account, on: clock):
                        try await performOrCount(&running, in: account, at: nil, log)
                    case .sound: continue
                    case .damaged(let damaged):
                        _ = shop.quarantine(damaged)
                        // The clock of a damaged account is unknown, so only the run on the environment's clock counts
                        // it.
                        if clock.own == nil { running.failed += 1 }
                    }
                }
                position = last.id
                running.advance(to: position, on: clock)
                try await jobs.save(running)
            }
            if clock.own != nil {
                running.advance(to: position, on: clock, isDone: true)
                try await jobs.save(running)
                return running
            }
            running.state = .done
            running.completedAt = max(running.at, shop.now(in: running.scope))
            try await complete(running, log)
            return running
        }
    }

    /// Applies the scheduled jobs that customers skip when they move to a clock that is ahead of their old clock.
    ///
    /// - Parameters:
    ///   - accounts: the customer and the family members that moved to the clock.
    ///   - before: what their old clock showed.
    func runJobsPassed(by accounts: [Account], on clock: ClockName, since before: Timestamp) async throws {
        let present = shop.now(on: clock)
        guard before < present else { return }
        for job in try await jobs.all(in: clock.scope)
        where job.ownClocks != nil && before < job.at && job.at <= present {
            try await shop.locks.exclusively("job-run/\(job.id)") {
                guard let stored = try await jobs.job(job.id) else { return }
                // If the job's own run has not reached an account yet, that run counts the account later.
                let isPending = jobs.isPending(stored, on: clock)
                var running = stored
                for account in accounts where !account.jobsDone.contains(where: { $0.job == job.id }) {
                    // The job must not be dated before the last event of an account.
                    let instant = accounts.reduce(job.at) { max($0, $1.lastEvent) }
                    var counted = running
                    try await performOrCount(&counted, in: account, at: instant)
                    if !isPending || stored.position(on: clock).map({ $0 >= account.id }) == true { running = counted }
                }
                if running != stored { try await jobs.save(running) }
            }
        }
    }

    /// Performs the job in an account, and counts a failure. If the store is busy or the server stops, this throws: the
    /// job continues later from its position, so that no account is skipped.
    private func performOrCount(
        _ record: inout JobRecord,
        in account: Account,
        at instant: Timestamp?,
        _ log: AdvanceLog? = nil
    ) async throws {
        do {
            try await perform(&record, in: account, at: instant, log)
        } catch let busy as ShopBusy {
            throw busy
        } catch {
            try shop.checkStopping()
            record.failed += 1
            shop.logger.error(
                "a job failed in an account",
                metadata: ["job": "\(record.id)", "account": "\(account.id.number)", "cause": "\(error.logText)"]
            )
        }
    }

    private func perform(
        _ record: inout JobRecord,
        in account: Account,
        at instant: Timestamp?,
        _ log: AdvanceLog?
    ) async throws {
        let command = Command.job(Job(id: record.id, task: record.task))
        // If the job has a date in the past, the later events of the family must not be processed yet.
        let outcome: Outcome
        var notifications: [TillCore.Notification] = []
        if let instant {
            outcome = try await shop.transact(command, by: account.customerName, at: instant)
        } else {
            outcome = try await shop.perform(command, by: account.customerName) { notifications += $0 }
        }
        let done = outcome.account.jobsDone.last { $0.job == record.id }
        switch done?.succeeded {
        case true?: record.succeeded += 1
        case false?: record.failed += 1
        case nil: break
        }
        if done != nil || !notifications.isEmpty { log?.add(notifications, in: account.id) }
    }

    /// Stores a job as done. For a mass extension, the summary notification is enqueued in the same transaction.
    private func complete(_ record: JobRecord, _ log: AdvanceLog?) async throws {
        var change = Change(documents: [try record.document])
        let chain = shop.signingChain
        if case .extend(let wanted) = record.task, let app = shop.registry.app(record.app) {
            let summary = NotificationPayload.summary(
                of: app,
                environment: record.environment,
                wanted,
                succeeded: record.succeeded,
                failed: record.failed
            )
            let head = NotificationPayload.Head(
                type: NotificationType.renewalExtension.rawValue,
                subtype: NotificationSubtype.summary.rawValue,
                // After a restore, the same job may run again, and its notification then needs another UUID.
                uuid: shop.identifiers.uuid("job/\(shop.restoreEpoch(of: record.app))/\(record.id)"),
                signedDate: record.completedAt ?? record.at
            )
            try await shop.enqueue(head, .summary(summary), in: &change, scope: record.scope, signedBy: chain)
        }
        try await shop.commit(change, signedBy: chain)
        if case .extend = record.task { log?.add(Notice(.renewalExtension, .summary)) }
    }
}

extension Shop {
    /// Runs jobs.
    package var jobRunner: JobRunner { JobRunner(shop: self) }
}
