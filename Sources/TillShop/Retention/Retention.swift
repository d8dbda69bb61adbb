import TillCore
import TillStorage

/// Deletes old notifications and audit records (docs/operating/retention.md).
///
/// A notification is deleted only if it exceeds the retention period twice: by its simulated date, measured on the
/// slowest clock, and by its real creation time. So neither advancing a clock nor creating events in the past makes
/// Till delete new notifications.
package struct Retention: Sendable {
    let storage: any Storage
    let registry: Registry
    let clocks: Clocks
    let identifiers: IdentifierPool
    let locks: ShopLocks

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
    private static let documentName = "tides"
    private static let day: Int64 = 86_400_000
    /// The minimum retention period of test notifications, because their status is available for six months.
    private static let daysOfTests = 184
    /// The maximum number of notifications that one database transaction deletes.
    static let page = 200
    /// The maximum number of audit records that one database transaction deletes.
    private static let auditPage = 1_000

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
            if let days, registry.settings.guardsProduction {
                let kept = self.days(in: scope.environment)
                guard kept > 0, days >= kept else {
                    throw registry.settings.allowReset ? StateRefused.kept(kept) : .forbidden
                }
            }
        }
        for scope in registry.scopes {
            guard var query = try await pruneQuery(in: scope, olderThan: days) else { continue }
            var isMarked = isDryRun
            while true {
                try locks.checkStopping()
                let asked = query
                let marks = !isMarked
                let page = try await locks.gate.shared {
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

    /// The retention period of an environment in days; 0 keeps notifications forever. By default, as many days as
    /// Apple's Get Notification History covers.
    package func days(in environment: StoreEnvironment) -> Int {
        registry.settings.notificationDays ?? (environment == .production ? 180 : 30)
    }

    /// Deletes audit records that exceed their retention period.
    ///
    /// - Returns: the number of deleted records.
    package func pruneAudit() async throws -> Int {
        let days = Int64(registry.settings.auditDays)
        guard days > 0 else { return 0 }
        let before = clocks.wallClock().advanced(milliseconds: -days * Self.day)
        var count = 0
        while true {
            try locks.checkStopping()
            let deleted = try await storage.pruneAudit(before: before, limit: Self.auditPage)
            count += deleted
            guard deleted == Self.auditPage else { return count }
        }
    }

    /// Creates the query for the old notifications of an app's environment; nil if no notification can be old.
    private func pruneQuery(in scope: AccountScope, olderThan days: Int?) async throws -> PruneQuery? {
        let present = clocks.names(in: scope).map { clocks.now(on: $0) }.reduce(clocks.wallClock()) { min($0, $1) }
        func past(_ days: Int) -> Timestamp { present.advanced(milliseconds: -Int64(days) * Self.day) }
        if let days { return PruneQuery(scope: scope, signedBefore: past(days), limit: Self.page) }
        let kept = self.days(in: scope.environment)
        let realTime = clocks.wallClock().advanced(milliseconds: -Int64(kept) * Self.day)
        // Another node may still assign identifiers from a block that it reserved up to a day before the mark.
        let ripe = locks.cluster == nil ? realTime : realTime.advanced(milliseconds: -Self.day)
        guard kept > 0, let highWaterMark = try await highWaterMarks().last(where: { $0.at <= ripe }) else {
            return nil
        }
        return PruneQuery(
            scope: scope,
            signedBefore: past(kept),
            testsBefore: past(max(kept, Self.daysOfTests)),
            below: NotificationID(highWaterMark.counter * Partition.count),
            limit: Self.page
        )
    }

    private func mark(_ scope: AccountScope, before: Timestamp) async throws {
        let mark = Mark(environment: scope.environment, app: scope.app, before: before)
        try await storage.put([Document(kind: .retention, name: mark.name, app: mark.app, encoding: mark)])
    }

    // MARK: High-water marks

    /// Records the current identifier counter once a day. Everything with a lower identifier was created before.
    func noteHighWaterMark() async throws {
        let realTime = clocks.wallClock()
        var highWaterMarks = try await highWaterMarks()
        guard highWaterMarks.last.map({ $0.at.advanced(milliseconds: Self.day) <= realTime }) ?? true else {
            return
        }
        let counter = try await identifiers.takeOrReserve(1).reserved.lowerBound
        highWaterMarks.append(HighWaterMark(at: realTime, counter: counter))
        // Among the marks that are older than every retention period, only the newest mark is needed.
        let maxDays = StoreEnvironment.allCases.map { days(in: $0) }.max() ?? 0
        let old = realTime.advanced(milliseconds: -Int64(maxDays + 1) * Self.day)
        let first = highWaterMarks.lastIndex { $0.at <= old } ?? 0
        try await storage.put([
            Document(
                kind: .shop,
                name: Self.documentName,
                encoding: Array(highWaterMarks[first...].suffix(Self.maxHighWaterMarks))
            )
        ])
    }

    private func highWaterMarks() async throws -> [HighWaterMark] {
        try await storage.documents(.shop).first { $0.name == Self.documentName }?.decoded() ?? []
    }

    /// The maximum number of marks: one for each day of a hundred years.
    private static let maxHighWaterMarks = 36_525

    /// Deletes all marks after an import, because imported identifiers do not show when they were assigned.
    func forgetHighWaterMarks() async throws {
        try await storage.removeDocument(.shop, name: Self.documentName)
    }
}

extension Shop {
    /// Deletes old notifications and audit records.
    package var retention: Retention {
        Retention(storage: storage, registry: registry, clocks: clocks, identifiers: identifiers, locks: locks)
    }
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
