import TillControl
import TillShop

/// The operation that deletes old notifications.
extension ControlAPI {
    var pruneRoutes: [ControlRoute] {
        [
            // The operation itself takes the lock, for each page of notifications.
            ControlRoute(PruneNotifications.self, waitsForRestore: false) { call in
                let isDryRun = call.dryRun ?? false
                let report = try await shop.prune(olderThan: call.days, isDryRun: isDryRun)
                return PruneInfo(
                    dryRun: isDryRun,
                    notifications: report.notifications,
                    deliveries: report.deliveries,
                    pending: report.pending,
                    productionDays: shop.retentionDays(in: .production),
                    sandboxDays: shop.retentionDays(in: .sandbox)
                )
            }
        ]
    }
}
