import HTTPTypes
import TillCore
import TillJSON
import TillShop

/// Deletion of old notifications.
extension ControlAPI {
    var pruneRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/prune",
                id: "prune",
                tag: "server",
                summary:
                    "Deletes notifications older than the retention period now; those with pending deliveries stay.",
                request: .object(
                    "Options.",
                    [
                        Schema.optional(
                            "days",
                            .integer("The age in days, instead of the server's setting; 0 deletes all.", 0...36_500)
                        ),
                        Schema.optional("dryRun", .boolean("Counts only; changes nothing.")),
                    ]
                ),
                response: .object(
                    "The data that was, or would be, deleted.",
                    [
                        Schema.required("dryRun", .boolean("Whether nothing was changed.")),
                        Schema.required("notifications", .integer("The number of notifications.")),
                        Schema.required("deliveries", .integer("The number of their deliveries, with their attempts.")),
                        Schema.required(
                            "owed",
                            .integer("Old notifications that stay because of pending deliveries.")
                        ),
                        Schema.required(
                            "productionDays",
                            .integer("The setting for production in days; 0 is forever.")
                        ),
                        Schema.required("sandboxDays", .integer("The setting for the sandbox in days.")),
                    ]
                )
            ) { exchange in
                let isDryRun = exchange.body.flag("dryRun") ?? false
                let days = exchange.body.number("days").map { Int($0) }
                let report = try await shop.prune(olderThan: days, isDryRun: isDryRun)
                var json = JSONWriter()
                json.put("dryRun", isDryRun)
                json.put("notifications", report.notifications)
                json.put("deliveries", report.deliveries)
                json.put("owed", report.pending)
                json.put("productionDays", shop.retentionDays(in: .production))
                json.put("sandboxDays", shop.retentionDays(in: .sandbox))
                return json.finish()
            }
        ]
    }
}
