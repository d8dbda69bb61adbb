import HTTPTypes
import TillCore
import TillShop

/// Old notifications.
extension ControlAPI {
    var pruneRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/prune",
                id: "prune",
                tag: "server",
                summary: "Removes notifications that are older than they are kept, now; what is owed stays.",
                request: .object(
                    "How old.",
                    [
                        Schema.optional(
                            "days",
                            .integer("Older than so many days, instead of what is set; 0 is everything.", 0...36_500)
                        ),
                        Schema.optional("dryRun", .boolean("Counts, and changes nothing.")),
                    ]
                ),
                response: .object(
                    "What went, or would.",
                    [
                        Schema.required("dryRun", .boolean("Whether nothing was changed.")),
                        Schema.required("notifications", .integer("How many notifications.")),
                        Schema.required("deliveries", .integer("How many deliveries of these, with their attempts.")),
                        Schema.required(
                            "owed",
                            .integer("Notifications that are old enough and still owed; they stay.")
                        ),
                        Schema.required("productionDays", .integer("Days that are set in production; 0 is for ever.")),
                        Schema.required("sandboxDays", .integer("The same in the sandbox.")),
                    ]
                )
            ) { exchange in
                let isDryRun = exchange.body.flag("dryRun") ?? false
                let days = exchange.body.number("days").map { Int($0) }
                let report = try await shop.prune(olderThan: days, isDryRun: isDryRun)
                var json = PayloadWriter()
                json.put("dryRun", isDryRun)
                json.put("notifications", report.notifications)
                json.put("deliveries", report.deliveries)
                json.put("owed", report.owed)
                json.put("productionDays", shop.retentionDays(in: .production))
                json.put("sandboxDays", shop.retentionDays(in: .sandbox))
                return json.finish()
            }
        ]
    }
}
