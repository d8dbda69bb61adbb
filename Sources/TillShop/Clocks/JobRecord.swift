import Foundation
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

    /// Records that the accounts up to a position were processed on a clock.
    ///
    /// - Parameter isDone: whether these are all accounts.
    mutating func advance(to position: AccountID?, on clock: ClockName, isDone: Bool = false) {
        if let own = clock.own {
            ownClocks?[own] = ClockProgress(position: position, isDone: isDone)
        } else {
            self.position = position
        }
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

    var document: Document {
        get throws { try Document(kind: .job, name: id, app: app, encoding: self) }
    }
}

/// The stored jobs.
package struct Jobs: Sendable {
    let storage: any Storage
    let clocks: Clocks
    let locks: ShopLocks

    /// Reads a job by its id; nil if there is no such job.
    package func job(_ id: String) async throws -> JobRecord? {
        try await storage.documents(.job).first { $0.name == id }?.decoded()
    }

    /// The jobs of an app's environment, sorted by the instant at which they take effect.
    package func all(in scope: AccountScope) async throws -> [JobRecord] {
        try await storage.documents(.job).map { try $0.decoded(as: JobRecord.self) }
            .filter { $0.scope == scope }.sorted { $0.at < $1.at }
    }

    /// The pending jobs of a clock, sorted by the instant at which they take effect.
    func pending(on clock: ClockName) async throws -> [JobRecord] {
        try await all(in: clock.scope).filter { isPending($0, on: clock) }
    }

    /// The pending jobs of a clock that can be read, sorted by the instant at which they take effect, and the error of
    /// a job of the app that cannot be read.
    func readable(on clock: ClockName) async throws -> (jobs: [JobRecord], failure: (any Error)?) {
        var failure: (any Error)?
        var jobs: [JobRecord] = []
        for document in try await storage.documents(.job) where document.app ?? clock.scope.app == clock.scope.app {
            do {
                jobs.append(try document.decoded())
            } catch {
                failure = failure ?? error
            }
        }
        jobs = jobs.filter { $0.scope == clock.scope && isPending($0, on: clock) }
        return (jobs.sorted { $0.at < $1.at }, failure)
    }

    /// Whether a job must still run on a clock when that clock shows the job's instant.
    func isPending(_ job: JobRecord, on clock: ClockName) -> Bool {
        job.isPending(on: clock.own, began: clocks.record(clock).began)
    }

    /// The names of the customer clocks on which a job is still pending.
    package func pendingClocks(of job: JobRecord) -> [String] {
        clocks.own(in: job.scope).filter { isPending(job, on: ClockName(job.scope, own: $0)) }
    }

    /// The clocks on which a job takes effect: for a scheduled job the customer clocks, and the environment's clock.
    func clocks(of job: JobRecord) -> [ClockName] {
        let names = clocks.names(in: job.scope)
        return Array((job.ownClocks == nil ? [] : names.dropFirst()) + names.prefix(1))
    }

    /// Checks that a job can start at a time. Operations that also change the catalog check this before the change.
    ///
    /// - Throws: `ClockRefused`.
    package func checkStart(at instant: Timestamp?, in scope: AccountScope) throws {
        let present = clocks.now(on: ClockName(scope))
        guard let instant, instant < present else { return }
        throw ClockRefused(
            code: "earlier_than_clock",
            message: "The instant \(instant.iso8601) is past: the clock shows \(present.iso8601). Give a later "
                + "instant, or omit it to start now."
        )
    }

    /// Stores a job, unless a job with that id already exists.
    func add(
        _ task: Job.Work,
        in scope: AccountScope,
        at instant: Timestamp,
        isScheduled: Bool,
        id: String?
    ) async throws -> JobRecord {
        // Clocks that are already past the instant are recorded, because the job must still run on them. A clock that
        // is created later and is past the instant has no record, and the job does not run on it.
        let past = clocks.own(in: scope).filter { clocks.now(on: ClockName(scope, own: $0)) >= instant }
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
        return try await locks.exclusively("job/\(record.id)") {
            if let present = try await job(record.id) { return present }
            try await save(record)
            return record
        }
    }

    func save(_ record: JobRecord) async throws { try await storage.put([try record.document]) }
}

extension Shop {
    /// The stored jobs.
    package var jobs: Jobs { Jobs(storage: storage, clocks: clocks, locks: locks) }
}
