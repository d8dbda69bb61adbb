import TillCore
import TillStorage

/// How long notifications are kept (docs/operating/retention.md).
///
/// Two things must be long ago before one goes: its date, by the clock of its world that is furthest behind, and its
/// making, by the wall. So neither an advance nor a past that was made up makes anything old.
package enum Retention {
    /// What can be told of an app's environment once something of it went, so that the doctor does not miss it.
    struct Mark: Codable, Sendable {
        var environment: StoreEnvironment
        var app: String
        /// What went was signed before.
        var before: Timestamp

        private enum CodingKeys: String, CodingKey {
            case app, before
            case environment = "realm"
        }

        var name: String { "\(environment.rawValue)/\(app)" }
    }

    /// Which numbers had been given out by an instant of the wall.
    struct HighWaterMark: Codable, Sendable {
        var at: Timestamp
        /// Nothing made until then has a higher counter.
        var counter: Int64
    }

    /// The document of the high-water marks.
    static let highWaterMarks = "tides"
    static let day: Int64 = 86_400_000
    /// As long as Get Notification History reaches back.
    static func standardDays(in environment: StoreEnvironment) -> Int { environment == .production ? 180 : 30 }
    /// The status of a test is told for six months.
    static let daysOfTests = 184
    /// Notifications in one transaction at the most.
    static let page = 200
}

/// What went, or would.
package struct PruneReport: Equatable, Sendable {
    /// How many notifications.
    package var notifications = 0
    /// How many deliveries of these.
    package var deliveries = 0
    /// Notifications that were old enough, and are owed still.
    package var owed = 0
}

extension Shop {
    /// Removes notifications that are older than they are kept, with the records of their deliveries, page by page.
    /// What is owed still stays.
    ///
    /// - Parameters:
    ///   - days: instead of what is set, whenever they were made; nil goes by the settings.
    ///   - pause: between two pages.
    /// - Throws: `StateRefused.forbidden` when more would go than is set, and the operator lets nobody erase.
    package func prune(
        olderThan days: Int? = nil,
        isDryRun: Bool = false,
        pausing pause: Duration = .zero
    ) async throws -> PruneReport {
        var report = PruneReport()
        for scope in everyScope {
            if let days, !settings.allowReset {
                let kept = retentionDays(in: scope.environment)
                guard kept > 0, days >= kept else { throw StateRefused.forbidden }
            }
        }
        for scope in everyScope {
            guard var query = try await pruneQuery(in: scope, olderThan: days) else { continue }
            var isMarked = isDryRun
            while true {
                try checkStopping()
                let asked = query
                let marks = !isMarked
                let page = try await gate.shared {
                    let page = try await storage.prunable(asked)
                    let ids = page.filter { $0.owed == 0 }.map(\.id)
                    if !isDryRun, !ids.isEmpty {
                        if marks { try await mark(scope, before: asked.signedBefore) }
                        try await storage.prune(ids)
                    }
                    return page
                }
                guard let last = page.last else { break }
                let gone = page.filter { $0.owed == 0 }
                if !gone.isEmpty { isMarked = true }
                report.notifications += gone.count
                report.deliveries += gone.reduce(0) { $0 + $1.deliveries }
                report.owed += page.count - gone.count
                query.after = (last.signedDate, last.id)
                if pause > .zero { try await Task.sleep(for: pause) }
            }
        }
        return report
    }

    /// For how many days the notifications of an environment are kept; 0 is for ever.
    package func retentionDays(in environment: StoreEnvironment) -> Int {
        settings.notificationDays ?? Retention.standardDays(in: environment)
    }

    /// What is old in an app's environment; nil is nothing.
    private func pruneQuery(in scope: AccountScope, olderThan days: Int?) async throws -> PruneQuery? {
        let clocks = [ClockName(scope)] + clocks.own(in: scope).map { ClockName(scope, own: $0) }
        let present = clocks.map { now(on: $0) }.reduce(wallClock()) { min($0, $1) }
        func past(_ days: Int) -> Timestamp { present.advanced(milliseconds: -Int64(days) * Retention.day) }
        if let days { return PruneQuery(scope: scope, signedBefore: past(days), limit: Retention.page) }
        let kept = retentionDays(in: scope.environment)
        let wall = wallClock().advanced(milliseconds: -Int64(kept) * Retention.day)
        // Another node may go on for a day with numbers that it had before.
        let ripe = cluster == nil ? wall : wall.advanced(milliseconds: -Retention.day)
        guard kept > 0, let highWaterMark = try await highWaterMarks().last(where: { $0.at <= ripe }) else {
            return nil
        }
        return PruneQuery(
            scope: scope,
            signedBefore: past(kept),
            testsBefore: past(max(kept, Retention.daysOfTests)),
            below: NotificationID(highWaterMark.counter * Partition.count),
            limit: Retention.page
        )
    }

    private func mark(_ scope: AccountScope, before: Timestamp) async throws {
        let mark = Retention.Mark(environment: scope.environment, app: scope.app, before: before)
        try await storage.put([Document(kind: .retention, name: mark.name, app: mark.app, encoding: mark)])
    }

    // MARK: Tides

    /// Once a day, which numbers have been given out: whatever has a lower one was made before.
    func noteHighWaterMark() async throws {
        let wall = wallClock()
        var highWaterMarks = try await highWaterMarks()
        guard highWaterMarks.last.map({ $0.at.advanced(milliseconds: Retention.day) <= wall }) ?? true else { return }
        let counter = try await identifiers.take(1).reserved.lowerBound
        highWaterMarks.append(Retention.HighWaterMark(at: wall, counter: counter))
        // Of those that are old enough for everything only the newest is asked for.
        let longest = StoreEnvironment.allCases.map { retentionDays(in: $0) }.max() ?? 0
        let old = wall.advanced(milliseconds: -Int64(longest + 1) * Retention.day)
        let first = highWaterMarks.lastIndex { $0.at <= old } ?? 0
        try await storage.put([
            Document(
                kind: .shop,
                name: Retention.highWaterMarks,
                encoding: Array(highWaterMarks[first...].suffix(Self.mostTides))
            )
        ])
    }

    private func highWaterMarks() async throws -> [Retention.HighWaterMark] {
        try await storage.documents(.shop).first { $0.name == Retention.highWaterMarks }?.decoded() ?? []
    }

    /// A hundred years of days.
    private static let mostTides = 36_525

    /// What comes from elsewhere has numbers that say nothing of its age here.
    func forgetTides() async throws {
        try await storage.removeDocument(.shop, name: Retention.highWaterMarks)
    }
}
