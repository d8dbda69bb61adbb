import TillCore
import TillStorage

/// Defines how long notifications are kept (docs/operating/retention.md).
///
/// A notification is deleted only if it exceeds the retention period twice: by its simulated date, measured on the
/// slowest clock, and by its real creation time. So neither advancing a clock nor creating events in the past makes
/// Till delete new notifications.
package enum Retention {
    /// A record that notifications of an app's environment were deleted. With it, `till doctor` does not report them as
    /// missing.
    struct Mark: Codable, Sendable {
        var environment: StoreEnvironment
        var app: String
        /// The date before which the deleted notifications were signed.
        var before: Timestamp

        private enum CodingKeys: String, CodingKey {
            case app, before
            case environment = "realm"
        }

        var name: String { "\(environment.rawValue)/\(app)" }
    }

    /// The highest identifier that was assigned before a point in real time.
    struct HighWaterMark: Codable, Sendable {
        var at: Timestamp
        /// The counter value. Everything that was created before `at` has at most this value.
        var counter: Int64
    }

    /// The name of the document with the high-water marks.
    static let highWaterMarks = "tides"
    static let day: Int64 = 86_400_000
    /// The default retention period: as many days as Apple's Get Notification History covers.
    static func standardDays(in environment: StoreEnvironment) -> Int { environment == .production ? 180 : 30 }
    /// The minimum retention period of test notifications, because their status is available for six months.
    static let daysOfTests = 184
    /// The maximum number of notifications that one database transaction deletes.
    static let page = 200
}

/// The counts of a deletion; for a dry run, what a deletion would delete.
package struct PruneReport: Equatable, Sendable {
    /// The number of deleted notifications.
    package var notifications = 0
    /// The number of deliveries of the deleted notifications.
    package var deliveries = 0
    /// The number of old notifications that were kept because a delivery is still pending.
    package var pending = 0
}

extension Shop {
    /// Deletes notifications that exceed their retention period, and their delivery records, page by page.
    /// Notifications with pending deliveries stay.
    ///
    /// - Parameters:
    ///   - days: a retention period that overrides the settings and ignores the real creation time; nil uses the
    ///     settings.
    ///   - pause: the pause between two pages.
    /// - Throws: `StateRefused.forbidden` for fewer days than configured, if the operator forbids erasing data.
    package func prune(
        olderThan days: Int? = nil,
        isDryRun: Bool = false,
        pausing pause: Duration = .zero
    ) async throws -> PruneReport {
        var report = PruneReport()
        for scope in registry.scopes {
            if let days, settings.guardsProduction {
                let kept = retentionDays(in: scope.environment)
                guard kept > 0, days >= kept else { throw settings.allowReset ? StateRefused.kept(kept) : .forbidden }
            }
        }
        for scope in registry.scopes {
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

    /// The retention period of an environment in days; 0 keeps notifications forever.
    package func retentionDays(in environment: StoreEnvironment) -> Int {
        settings.notificationDays ?? Retention.standardDays(in: environment)
    }

    /// Creates the query for the old notifications of an app's environment; nil if no notification can be old.
    private func pruneQuery(in scope: AccountScope, olderThan days: Int?) async throws -> PruneQuery? {
        let present = clocks.names(in: scope).map { now(on: $0) }.reduce(wallClock()) { min($0, $1) }
        func past(_ days: Int) -> Timestamp { present.advanced(milliseconds: -Int64(days) * Retention.day) }
        if let days { return PruneQuery(scope: scope, signedBefore: past(days), limit: Retention.page) }
        let kept = retentionDays(in: scope.environment)
        let realTime = wallClock().advanced(milliseconds: -Int64(kept) * Retention.day)
        // Another node may still assign identifiers from a block that it reserved up to a day before the mark.
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

    /// Records the current identifier counter once a day. Everything with a lower identifier was created before.
    func noteHighWaterMark() async throws {
        let realTime = wallClock()
        var highWaterMarks = try await highWaterMarks()
        guard highWaterMarks.last.map({ $0.at.advanced(milliseconds: Retention.day) <= realTime }) ?? true else {
            return
        }
        let counter = try await identifiers.takeOrReserve(1).reserved.lowerBound
        highWaterMarks.append(Retention.HighWaterMark(at: realTime, counter: counter))
        // Among the marks that are older than every retention period, only the newest mark is needed.
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

    /// The maximum number of marks: one for each day of a hundred years.
    private static let maxHighWaterMarks = 36_525

    /// Deletes all marks after an import, because imported identifiers do not show when they were assigned.
    func forgetHighWaterMarks() async throws {
        try await storage.removeDocument(.shop, name: Retention.highWaterMarks)
    }
}
