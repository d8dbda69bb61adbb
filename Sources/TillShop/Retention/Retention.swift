import TillCore
import TillStorage

/// How long notifications are kept (docs/operating/retention.md).
///
/// A notification is deleted only when both its simulated date (on the slowest clock) and its real creation time exceed
/// the retention period. So neither an advance nor an invented past makes a notification old.
package enum Retention {
    /// Records that notifications of an app's environment were deleted, so that the doctor does not report them as
    /// missing.
    struct Mark: Codable, Sendable {
        var environment: StoreEnvironment
        var app: String
        /// The deleted notifications were signed before this.
        var before: Timestamp

        private enum CodingKeys: String, CodingKey {
            case app, before
            case environment = "realm"
        }

        var name: String { "\(environment.rawValue)/\(app)" }
    }

    /// The identifiers that were assigned up to a wall-clock time.
    struct HighWaterMark: Codable, Sendable {
        var at: Timestamp
        /// Everything created before has at most this counter.
        var counter: Int64
    }

    /// The document of the high-water marks.
    static let highWaterMarks = "tides"
    static let day: Int64 = 86_400_000
    /// The range of Get Notification History.
    static func standardDays(in environment: StoreEnvironment) -> Int { environment == .production ? 180 : 30 }
    /// The status of a test is available for six months.
    static let daysOfTests = 184
    /// The maximum number of notifications per transaction.
    static let page = 200
}

/// What was deleted, or would be.
package struct PruneReport: Equatable, Sendable {
    /// How many notifications.
    package var notifications = 0
    /// How many deliveries they had.
    package var deliveries = 0
    /// Old notifications that are still pending.
    package var pending = 0
}

extension Shop {
    /// Deletes notifications beyond their retention period, with the records of their deliveries, page by page. Pending
    /// notifications stay.
    ///
    /// - Parameters:
    ///   - days: overrides the settings, and ignores the real creation time; nil uses the settings.
    ///   - pause: between two pages.
    /// - Throws: `StateRefused.forbidden` for fewer days than configured, if the operator forbids erasing data.
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
                    let ids = page.filter { $0.pending == 0 }.map(\.id)
                    if !isDryRun, !ids.isEmpty {
                        if marks { try await mark(scope, before: asked.signedBefore) }
                        try await storage.prune(ids)
                    }
                    return page
                }
                guard let last = page.last else { break }
                let gone = page.filter { $0.pending == 0 }
                if !gone.isEmpty { isMarked = true }
                report.notifications += gone.count
                report.deliveries += gone.reduce(0) { $0 + $1.deliveries }
                report.pending += page.count - gone.count
                query.after = (last.signedDate, last.id)
                if pause > .zero { try await Task.sleep(for: pause) }
            }
        }
        return report
    }

    /// The retention period of an environment in days; 0 is forever.
    package func retentionDays(in environment: StoreEnvironment) -> Int {
        settings.notificationDays ?? Retention.standardDays(in: environment)
    }

    /// Finds the old notifications of an app's environment; nil if there are none.
    private func pruneQuery(in scope: AccountScope, olderThan days: Int?) async throws -> PruneQuery? {
        let clocks = [ClockName(scope)] + clocks.own(in: scope).map { ClockName(scope, own: $0) }
        let present = clocks.map { now(on: $0) }.reduce(wallClock()) { min($0, $1) }
        func past(_ days: Int) -> Timestamp { present.advanced(milliseconds: -Int64(days) * Retention.day) }
        if let days { return PruneQuery(scope: scope, signedBefore: past(days), limit: Retention.page) }
        let kept = retentionDays(in: scope.environment)
        let realTime = wallClock().advanced(milliseconds: -Int64(kept) * Retention.day)
        // Another node may use identifiers from before for up to a day.
        let ripe = cluster == nil ? realTime : realTime.advanced(milliseconds: -Retention.day)
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

    // MARK: High-water marks

    /// Records once a day which identifiers were assigned: every lower one was created before.
    func noteHighWaterMark() async throws {
        let realTime = wallClock()
        var highWaterMarks = try await highWaterMarks()
        guard highWaterMarks.last.map({ $0.at.advanced(milliseconds: Retention.day) <= realTime }) ?? true else { return }
        let counter = try await identifiers.take(1).reserved.lowerBound
        highWaterMarks.append(Retention.HighWaterMark(at: realTime, counter: counter))
        // Of the marks older than every retention period, only the newest is needed.
        let maxDays = StoreEnvironment.allCases.map { retentionDays(in: $0) }.max() ?? 0
        let old = realTime.advanced(milliseconds: -Int64(maxDays + 1) * Retention.day)
        let first = highWaterMarks.lastIndex { $0.at <= old } ?? 0
        try await storage.put([
            Document(
                kind: .shop,
                name: Retention.highWaterMarks,
                encoding: Array(highWaterMarks[first...].suffix(Self.maxHighWaterMarks))
            )
        ])
    }

    private func highWaterMarks() async throws -> [Retention.HighWaterMark] {
        try await storage.documents(.shop).first { $0.name == Retention.highWaterMarks }?.decoded() ?? []
    }

    /// A hundred years of days.
    private static let maxHighWaterMarks = 36_525

    /// Imported data has identifiers that do not show when they were created.
    func forgetHighWaterMarks() async throws {
        try await storage.removeDocument(.shop, name: Retention.highWaterMarks)
    }
}
