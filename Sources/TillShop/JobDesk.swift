import Foundation
import Logging
import TillCore
import TillStorage

/// A job as the store keeps it.
package struct JobRecord: Codable, Equatable, Sendable {
    /// How far it has come.
    package enum State: String, Codable, Sendable {
        case waiting
        case running
        case done
    }

    /// Unique in the store; the same id is the same job.
    package let id: String
    /// With the app, whose accounts it concerns.
    package let realm: Realm
    /// The bundle identifier.
    package let app: String
    /// What is done in each account.
    package let task: Job.Work
    /// When it takes effect, by the clock of the app's realm.
    package let at: Timestamp
    /// Waiting, then running, then done.
    package var state: State
    /// The last account that was looked at; those after it are to come.
    package var position: AccountID?
    /// Accounts in which it was done.
    package var succeeded: Int
    /// Accounts in which it could not be done.
    package var failed: Int
    /// By the same clock.
    package var completedAt: Timestamp?

    /// The app and the realm whose accounts it concerns.
    package var scope: AccountScope { AccountScope(realm: realm, app: app) }
}

/// Acts that concern many accounts: done account by account, restartable, each account once.
extension Shop {
    /// Starts a job, or plans it for a later instant. A job of the same id is not started again.
    ///
    /// - Parameters:
    ///   - id: nil makes one.
    ///   - instant: nil is now; the job is done when this returns.
    /// - Returns: the job as it then is.
    package func startJob(
        _ task: Job.Work,
        in scope: AccountScope,
        at instant: Timestamp? = nil,
        id: String? = nil
    ) async throws -> JobRecord {
        let present = now(in: scope)
        let stored = try await storeJob(task, in: scope, at: max(instant ?? present, present), id: id)
        guard stored.state != .done, stored.at <= present else {
            signals.planned(ClockName(scope), stored.at)
            return stored
        }
        do {
            return try await run(stored)
        } catch {
            signals.planned(ClockName(scope), stored.at)
            throw error
        }
    }

    /// Starts a job and does not wait for its end. What is cut short is gone on with by the ticker.
    ///
    /// - Returns: the job as it was stored, now or at the first time.
    @discardableResult
    package func beginJob(_ task: Job.Work, in scope: AccountScope, id: String) async throws -> JobRecord {
        let stored = try await storeJob(task, in: scope, at: now(in: scope), id: id)
        guard stored.state != .done else { return stored }
        Task {
            do {
                try await run(stored)
            } catch {
                logger.error("a job was cut short", metadata: ["job": "\(id)", "cause": "\(error.logText)"])
                signals.planned(ClockName(scope), stored.at)
            }
        }
        return stored
    }

    /// Stores a job, unless there is one of that id.
    private func storeJob(_ task: Job.Work, in scope: AccountScope, at instant: Timestamp, id: String?) async throws
        -> JobRecord
    {
        let record = JobRecord(
            id: id ?? UUID().uuidString.lowercased(),
            realm: scope.realm,
            app: scope.app,
            task: task,
            at: instant,
            state: .waiting,
            position: nil,
            succeeded: 0,
            failed: 0,
            completedAt: nil
        )
        return try await exclusively("job/\(record.id)") {
            if let present = try await self.job(record.id) { return present }
            try await self.storage.put([try Self.document(record)])
            return record
        }
    }

    /// The job of a mass extension: one for each request and product of an app's realm, whoever asks.
    package func jobID(ofExtension request: String, of productID: String, in scope: AccountScope) -> String {
        uuid("extend/\(scope.realm.rawValue)/\(scope.app)/\(productID)/\(request)")
    }

    /// A job by its id.
    package func job(_ id: String) async throws -> JobRecord? {
        try await storage.documents(.job).first { $0.name == id }?.decoded()
    }

    /// The jobs of an app's realm, by the instant at which they take effect.
    package func jobs(in scope: AccountScope) async throws -> [JobRecord] {
        try await storage.documents(.job).map { try $0.decoded(as: JobRecord.self) }
            .filter { $0.scope == scope }.sorted { $0.at < $1.at }
    }

    /// Jobs that are not done and take effect at or before an instant.
    func unfinishedJobs(in scope: AccountScope, until instant: Timestamp) async throws -> [JobRecord] {
        try await jobs(in: scope).filter { $0.state != .done && $0.at <= instant }
    }

    /// Does what is left of a job.
    @discardableResult
    func run(_ record: JobRecord) async throws -> JobRecord {
        try await exclusively("job-run/\(record.id)") {
            guard var running = try await self.job(record.id), running.state != .done else { return record }
            running.state = .running
            while true {
                let page = try await self.storage.accounts(of: running.scope, after: running.position, limit: 100)
                guard let last = page.last else { break }
                try self.checkStopping()
                for account in page { try await self.performOrCount(&running, in: account) }
                running.position = last.id
                try await self.storage.put([try Self.document(running)])
            }
            running.state = .done
            running.completedAt = max(running.at, self.now(in: running.scope))
            try await self.complete(running)
            return running
        }
    }

    /// An account in which the job cannot be done does not stop it. A shop that is busy, or stops, does: the job goes
    /// on later from its position, and no account is passed over.
    private func performOrCount(_ record: inout JobRecord, in account: Account) async throws {
        do {
            try await perform(&record, in: account)
        } catch let busy as ShopBusy {
            throw busy
        } catch {
            try checkStopping()
            record.failed += 1
            logger.error(
                "a job was not done in an account",
                metadata: ["job": "\(record.id)", "account": "\(account.id.number)", "cause": "\(error.logText)"]
            )
        }
    }

    private func perform(_ record: inout JobRecord, in account: Account) async throws {
        let customer = CustomerName(record.scope, account.customer)
        let outcome = try await perform(.job(Job(id: record.id, task: record.task)), by: customer, at: nil)
        switch outcome.account.jobsDone.last(where: { $0.job == record.id })?.succeeded {
        case true?: record.succeeded += 1
        case false?: record.failed += 1
        case nil: break
        }
    }

    /// The end of a job; of a mass extension the developer's server is told in the same transaction.
    private func complete(_ record: JobRecord) async throws {
        var change = Change(documents: [try Self.document(record)])
        let chain = signingChain
        if case .extend(let wanted) = record.task, let app = registry.app(record.app) {
            let summary = NotificationPayload.summary(
                of: app,
                realm: record.realm,
                wanted,
                succeeded: record.succeeded,
                failed: record.failed
            )
            let head = NotificationPayload.Head(
                type: NotificationType.renewalExtension.rawValue,
                subtype: NotificationSubtype.summary.rawValue,
                // The same job may be asked for again once a restore has taken this one back.
                uuid: uuid("job/\(lineage)/\(record.id)"),
                signedDate: record.completedAt ?? record.at
            )
            try await owe(head, .summary(summary), in: &change, scope: record.scope, signedBy: chain)
        }
        try await commit(change, signedBy: chain)
    }

    private static func document(_ record: JobRecord) throws -> Document {
        try Document(kind: .job, name: record.id, app: record.app, encoding: record)
    }
}
