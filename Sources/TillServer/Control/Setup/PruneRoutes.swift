import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop

/// The operation that deletes old notifications.
extension ControlAPI {
    var pruneRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/prune",
                id: "prune",
                tag: "server",
                summary:
                    "Deletes notifications older than the retention period. Keeps those with pending deliveries.",
                request: .object(
                    "Options.",
                    [
                        Schema.optional(
                            "days",
                            .integer(
                                "The retention period in days, instead of the server's setting; 0 deletes all.",
                                0...36_500
                            )
                        ),
                        Schema.optional("dryRun", .boolean("Only counts what would be deleted.")),
                    ]
                ),
                response: .object(
                    "The numbers of deleted objects; with dryRun, of objects that would be deleted.",
                    [
                        Schema.required("dryRun", .boolean("True if the operation only counted.")),
                        Schema.required("notifications", .integer("The number of notifications.")),
                        Schema.required("deliveries", .integer("The number of deliveries of these notifications.")),
                        Schema.required(
                            "owed",
                            .integer("The number of old notifications that are kept because deliveries are pending.")
                        ),
                        Schema.required(
                            "productionDays",
                            .integer("The retention period of production in days; 0 means forever.")
                        ),
                        Schema.required(
                            "sandboxDays",
                            .integer("The retention period of the sandbox in days; 0 means forever.")
                        ),
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
