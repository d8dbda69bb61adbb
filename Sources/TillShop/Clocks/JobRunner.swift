import Foundation
import Logging
import TillCore
import TillStorage

/// A job as it is stored.
package struct JobRecord: Codable, Equatable, Sendable {
    /// The id, unique in the store. A repeated request with the same id refers to the same job.
    package let id: String
    /// The environment of the accounts.
    package let environment: StoreEnvironment
    /// The bundle identifier of the app of the accounts.
    package let app: String
    /// What the job does in each account.
    package let task: Job.Work
    /// When the job takes effect, on the clock of each customer.
    package let at: Timestamp
    /// The progress of the job among the customers on the environment's clock.
    package var state: JobState
    /// The last account that was processed; the job continues with the next account.
    package var position: AccountID?
    /// The number of accounts in which the job succeeded.
    package var succeeded: Int
    /// The number of accounts in which the job failed.
    package var failed: Int
    /// When the job was completed, on the environment's clock; nil until then.
    package var completedAt: Timestamp?

    /// The progress of a scheduled job on the customer clocks, by clock name. Nil for a job that was not scheduled and
    /// for every job of version 0.1.0: such a job takes effect for all customers once the environment's clock shows
    /// `at`.
    package var ownClocks: [String: ClockProgress]?

    private enum CodingKeys: String, CodingKey {
        case id, app, task, at, state, position, succeeded, failed, completedAt, ownClocks
        case environment = "realm"
    }

    /// The progress of a scheduled job among the customers on one customer clock.
    package struct ClockProgress: Codable, Equatable, Sendable {
        /// The last account that was processed.
        package var position: AccountID?
        /// Whether every account was processed.
        package var isDone = false
    }

    /// Whether the job must still run on a clock when that clock shows `at`.
    ///
    /// - Parameters:
    ///   - own: the name of a customer clock; nil for the environment's clock.
    ///   - began: what that clock showed when it was created. A job whose `at` is not later affects no customer on that
    ///     clock.
    package func isPending(on own: String?, began: Timestamp?) -> Bool {
        guard let own else { return state != .done }
        guard let ownClocks else { return false }
        if let progress = ownClocks[own] { return !progress.isDone }
        return began.map { at > $0 } ?? true
    }

    /// The last account that was processed on a clock.
    func position(on clock: ClockName) -> AccountID? {
        guard let own = clock.own else { return position }
        return ownClocks?[own]?.position
    }

    /// Whether the job affects an account when the job runs on a clock.
    func concerns(_ account: Account, on clock: ClockName) -> Bool { ownClocks == nil || account.clock == clock.own }

    /// The app and the environment of the accounts.
    package var scope: AccountScope { AccountScope(environment: environment, app: app) }
}

/// Jobs: bulk operations on many accounts. A job processes each account once, one at a time, and continues after an
/// interruption.
extension Shop {
    /// Checks that a job can start at a time. Operations that also change the catalog check this before the change.
    ///
    /// - Throws: `ClockRefused`.
    package func checkStart(at instant: Timestamp?, in scope: AccountScope) throws {
        let present = now(in: scope)
        guard let instant, instant < present else { return }
        throw ClockRefused(
            code: "earlier_than_clock",
            message: "The instant \(instant.iso8601) is past: the clock shows \(present.iso8601). Give a later "
                + "instant, or omit it to start now."
        )
    }

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
    package func startJob(
        _ task: Job.Work,
        in scope: AccountScope,
        at instant: Timestamp? = nil,
        id: String? = nil
    ) async throws -> JobRecord {
        let present = now(in: scope)
        if try await !isStored(id) { try checkStart(at: instant, in: scope) }
        let isScheduled = instant != nil
        var stored = try await storeJob(task, in: scope, at: max(instant ?? present, present), isScheduled, id: id)
        // If the job is interrupted, the ticker continues it.
        defer { for clock in clocks(of: stored) { signals.planned(clock, stored.at) } }
        for clock in clocks(of: stored) where stored.at <= now(on: clock) {
            if stored.isPending(on: clock.own, began: clocks.record(clock).began) {
                stored = try await run(stored, on: clock)
            }
        }
        return stored
    }

    /// Whether the job exists. A client may repeat its request when the instant of the job is already past.
    private func isStored(_ id: String?) async throws -> Bool {
        guard let id else { return false }
        return try await job(id) != nil
    }

    /// The names of the customer clocks on which a job is still pending.
    package func pendingClocks(of job: JobRecord) -> [String] {
        clocks.own(in: job.scope).filter { own in
            job.isPending(on: own, began: clocks.record(ClockName(job.scope, own: own)).began)
        }
    }

    /// The clocks on which a job takes effect: the environment's clock and, for a scheduled job, the customer clocks.
    private func clocks(of job: JobRecord) -> [ClockName] {
        let own = job.ownClocks == nil ? [] : clocks.own(in: job.scope)
        return own.map { ClockName(job.scope, own: $0) } + [ClockName(job.scope)]
    }

    /// Starts a job without waiting for its end. If the job is interrupted, the ticker continues it.
    ///
    /// - Returns: the stored job; an earlier request with the same id may have stored it.
    @discardableResult
    package func beginJob(_ task: Job.Work, in scope: AccountScope, id: String) async throws -> JobRecord {
        let stored = try await storeJob(task, in: scope, at: now(in: scope), false, id: id)
        guard stored.state != .done else { return stored }
        // Detached, because the job goes on after the work that began it.
        Task.detached { [self] in
            do {
                _ = try await gate.shared { try await run(stored, on: ClockName(scope)) }
            } catch {
                logger.error("a job was interrupted", metadata: ["job": "\(id)", "cause": "\(error.logText)"])
                signals.planned(ClockName(scope), stored.at)
            }
        }
        return stored
    }

    /// Stores a job, unless a job with that id already exists.
    private func storeJob(
        _ task: Job.Work,
        in scope: AccountScope,
        at instant: Timestamp,
        _ isScheduled: Bool,
        id: String?
    ) async throws -> JobRecord {
        // Clocks that are already past the instant are recorded, because the job must still run on them. A clock that
        // is created later and is past the instant has no record, and the job does not run on it.
        let past = clocks.own(in: scope).filter { now(on: ClockName(scope, own: $0)) >= instant }
        let progress = Dictionary(uniqueKeysWithValues: past.map { ($0, JobRecord.ClockProgress()) })
        let record = JobRecord(
            id: id ?? UUID().uuidString.lowercased(),
            environment: scope.environment,
            app: scope.app,
            task: task,
            at: instant,
            state: .waiting,
            position: nil,
            succeeded: 0,
            failed: 0,
            completedAt: nil,
            ownClocks: isScheduled ? progress : nil
        )
        return try await exclusively("job/\(record.id)") {
            if let present = try await self.job(record.id) { return present }
            try await self.storage.put([try Self.document(record)])
            return record
        }
    }

    /// The id of the job for a mass extension. It depends on the request, the product, the app and the environment, but
    /// not on the client that sends the request.
    package func jobID(ofExtension request: String, of productID: String, in scope: AccountScope) -> String {
        identifiers.uuid("extend/\(scope.environment.rawValue)/\(scope.app)/\(productID)/\(request)")
    }

    /// Reads a job by its id; nil if there is no such job.
    package func job(_ id: String) async throws -> JobRecord? {
        try await storage.documents(.job).first { $0.name == id }?.decoded()
    }

    /// The jobs of an app's environment, sorted by the instant at which they take effect.
    package func jobs(in scope: AccountScope) async throws -> [JobRecord] {
        try await storage.documents(.job).map { try $0.decoded(as: JobRecord.self) }
            .filter { $0.scope == scope }.sorted { $0.at < $1.at }
    }

    /// The pending jobs of a clock, sorted by the instant at which they take effect.
    func pendingJobs(on clock: ClockName) async throws -> [JobRecord] {
        let began = clocks.record(clock).began
        return try await jobs(in: clock.scope).filter { $0.isPending(on: clock.own, began: began) }
    }

    /// Runs a job for all remaining customers on a clock.
    ///
    /// - Parameter log: counts what the job did; nil if no advance is in progress.
    @discardableResult
    func run(_ record: JobRecord, on clock: ClockName, _ log: AdvanceLog? = nil) async throws -> JobRecord {
        try await exclusively("job-run/\(record.id)") {
            guard var running = try await self.job(record.id) else { return record }
            guard running.isPending(on: clock.own, began: self.clocks.record(clock).began) else { return running }
            if clock.own == nil { running.state = .running }
            var position = running.position(on: clock)
            while true {
                let page = try await self.storage.storedAccounts(of: running.scope, after: position, limit: 100)
                guard let last = page.last else { break }
                try self.checkStopping()
                for stored in page {
                    switch stored {
                    case .sound(let account) where running.concerns(account, on: clock):
                        try await self.performOrCount(&running, in: account, at: nil, log)
                    case .sound: continue
                    case .damaged(let damaged): self.countFailure(&running, of: damaged, on: clock)
                    }
                }
                position = last.id
                if let own = clock.own {
                    running.ownClocks?[own] = JobRecord.ClockProgress(position: position)
                } else {
                    running.position = position
                }
                try await self.storage.put([try Self.document(running)])
            }
            if let own = clock.own {
                running.ownClocks?[own] = JobRecord.ClockProgress(position: position, isDone: true)
                try await self.storage.put([try Self.document(running)])
                return running
            }
            running.state = .done
            running.completedAt = max(running.at, self.now(in: running.scope))
            try await self.complete(running, log)
            return running
        }
    }

    /// Applies the scheduled jobs that customers skip when they move to a clock that is ahead of their old clock.
    ///
    /// - Parameters:
    ///   - accounts: the customer and the family members that moved to the clock.
    ///   - before: what their old clock showed.
    func runJobsPassed(by accounts: [Account], on clock: ClockName, since before: Timestamp) async throws {
        let present = now(on: clock)
        guard before < present else { return }
        for job in try await jobs(in: clock.scope)
        where job.ownClocks != nil && before < job.at && job.at <= present {
            try await exclusively("job-run/\(job.id)") {
                guard let stored = try await self.job(job.id) else { return }
                // If the job's own run has not reached an account yet, that run counts the account later.
                let isPending = stored.isPending(on: clock.own, began: self.clocks.record(clock).began)
                var running = stored
                for account in accounts where !account.jobsDone.contains(where: { $0.job == job.id }) {
                    // The job must not be dated before the last event of an account.
                    let instant = accounts.reduce(job.at) { max($0, $1.lastEvent) }
                    var counted = running
                    try await self.performOrCount(&counted, in: account, at: instant)
                    if !isPending || stored.position(on: clock).map({ $0 >= account.id }) == true { running = counted }
                }
                if running != stored { try await self.storage.put([try Self.document(running)]) }
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
            try checkStopping()
            record.failed += 1
            logger.error(
                "a job failed in an account",
                metadata: ["job": "\(record.id)", "account": "\(account.id.number)", "cause": "\(error.logText)"]
            )
        }
    }

    /// Counts a damaged account as failed. The clock of such an account is unknown, so only the run on the
    /// environment's clock counts it.
    private func countFailure(_ record: inout JobRecord, of damaged: DamagedAccount, on clock: ClockName) {
        _ = quarantine(damaged)
        if clock.own == nil { record.failed += 1 }
    }

    private func perform(
        _ record: inout JobRecord,
        in account: Account,
        at instant: Timestamp?,
        _ log: AdvanceLog?
    ) async throws {
        let customer = CustomerName(record.scope, account.customer)
        let command = Command.job(Job(id: record.id, task: record.task))
        // If the job has a date in the past, the later events of the family must not be processed yet.
        let outcome: Outcome
        var notifications: [TillCore.Notification] = []
        if let instant {
            outcome = try await transact(command, by: customer, at: instant)
        } else {
            outcome = try await perform(command, by: customer) { notifications += $0 }
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
        var change = Change(documents: [try Self.document(record)])
        let chain = signingChain
        if case .extend(let wanted) = record.task, let app = registry.app(record.app) {
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
                uuid: identifiers.uuid("job/\(restoreEpoch)/\(record.id)"),
                signedDate: record.completedAt ?? record.at
            )
            try await enqueue(head, .summary(summary), in: &change, scope: record.scope, signedBy: chain)
        }
        try await commit(change, signedBy: chain)
        if case .extend = record.task { log?.add(Notice(.renewalExtension, .summary)) }
    }

    private static func document(_ record: JobRecord) throws -> Document {
        try Document(kind: .job, name: record.id, app: record.app, encoding: record)
    }
}
