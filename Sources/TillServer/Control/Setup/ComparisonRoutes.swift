import TillControl
import TillCore
import TillShop
import TillStorage

/// The comparison of two states of an app.
extension ControlAPI {
    /// A page of the differences between a snapshot and another, or the current state.
    func compare(_ call: ControlCall<CompareSnapshots>) async throws -> SnapshotComparison {
        let from = try await shop.snapshots.snapshot(call.name)
        let to = try await call.to.mapAsync { try await shop.snapshots.snapshot($0) }
        let app = try comparedApp(call.bundleId, from, to)
        try await checkKnown(app, in: [from, to].compactMap(\.self))
        var run = ComparisonRun(
            control: self,
            from: from.name,
            to: to?.name,
            limit: call.limit ?? 50,
            position: try ComparisonRun.Position(call.after)
        )
        try await run.compare(app)
        return SnapshotComparison(
            bundleId: app,
            from: from.name,
            to: to?.name,
            differences: run.differences,
            next: run.next?.text
        )
    }

    /// Checks that the app exists now, or has data in a snapshot.
    private func checkKnown(_ app: String, in snapshots: [Snapshot]) async throws {
        guard shop.registry.app(app) == nil else { return }
        for snapshot in snapshots where snapshot.app != app {
            for environment in StoreEnvironment.allCases {
                let scope = AccountScope(environment: environment, app: app)
                let name = snapshot.name
                let accounts = try await shop.storage.storedAccounts(of: scope, in: name, after: nil, limit: 1)
                if !accounts.isEmpty { return }
            }
        }
        if !snapshots.contains(where: { $0.app == app }) { try shop.snapshots.checkKnown(app) }
    }

    /// The app to compare: the given one, that of a snapshot, or the only app of the server.
    private func comparedApp(_ given: String?, _ from: Snapshot, _ to: Snapshot?) throws -> String {
        let saved = [from, to].compactMap(\.self).filter { $0.app != nil }
        let apps = shop.registry.apps.map(\.bundleID)
        guard let app = given ?? saved.first?.app ?? (apps.count == 1 ? apps.first : nil) else {
            throw ControlError.bad(
                "which_app",
                "The snapshot has all apps. Give one as bundleId: \(apps.prefix(20).joined(separator: ", ")).",
                path: "bundleId"
            )
        }
        if let other = saved.first(where: { $0.app != app }), let only = other.app {
            throw ControlError.bad(
                "other_app_in_snapshot",
                "The snapshot \(other.name) has only the app \(only), not \(app.prefix(200)).",
                path: "bundleId"
            )
        }
        return app
    }
}

extension Optional {
    /// The transformed value; nil without one.
    fileprivate func mapAsync<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
