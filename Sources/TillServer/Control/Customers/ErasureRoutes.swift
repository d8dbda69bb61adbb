import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The operation that erases a customer.
extension ControlAPI {
    var erasureRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/erase",
                id: "eraseCustomer",
                tag: "customers",
                summary: "Permanently erases a customer and all data about the customer in this app and environment.",
                request: .object(
                    "Options.",
                    [
                        Schema.optional("dryRun", .boolean("Only counts what would be erased.")),
                        Schema.optional(
                            "removeSnapshots",
                            .boolean("Also deletes snapshots that contain the customer.")
                        ),
                    ]
                ),
                response: .object(
                    "The numbers of erased objects; with dryRun, of objects that would be erased.",
                    [
                        Schema.required("customer", .string("The customer's name, which can be used again.")),
                        Schema.required("dryRun", .boolean("True if the operation only counted.")),
                        Schema.required("transactions", .integer("The number of transactions.")),
                        Schema.required(
                            "notificationsErased",
                            .integer("The number of notifications about the customer.")
                        ),
                        Schema.required(
                            "deliveries",
                            .integer("The number of deliveries of these notifications, completed or pending.")
                        ),
                        Schema.required("journalEntries", .integer("The number of entries in the request log.")),
                        Schema.required("faults", .integer("The number of fault rules for the customer.")),
                        Schema.optional("family", .string("The customer's family.")),
                        Schema.required(
                            "notifications",
                            .array(
                                "The notifications sent because the family loses the shared purchases.",
                                of: .string("A notification type.", example: "REVOKE")
                            )
                        ),
                        Schema.required(
                            "snapshots",
                            .array("Snapshots that still contain the customer.", of: .string("The name of a snapshot."))
                        ),
                        Schema.required(
                            "removedSnapshots",
                            .array(
                                "Snapshots that were deleted; with dryRun, that would be deleted.",
                                of: .string("The name of a snapshot.")
                            )
                        ),
                    ]
                )
            ) { exchange in
                let customer = try exchange.customer()
                let isDryRun = exchange.body.flag("dryRun") ?? false
                let erased = try await shop.eraseCustomer(
                    customer,
                    removingSnapshots: exchange.body.flag("removeSnapshots") ?? false,
                    isDryRun: isDryRun
                )
                return Self.json(erased, of: customer, isDryRun: isDryRun)
            }
        ]
    }

    private static func json(_ erased: ErasedCustomer, of customer: CustomerName, isDryRun: Bool) -> [UInt8] {
        var json = JSONWriter()
        json.put("customer", customer.customer)
        json.put("dryRun", isDryRun)
        json.put("transactions", erased.belongings.transactions)
        json.put("notificationsErased", erased.belongings.notifications)
        json.put("deliveries", erased.belongings.deliveries)
        json.put("journalEntries", erased.requestLogEntries)
        json.put("faults", erased.faults)
        json.put("family", erased.family)
        json.put("notifications", erased.notifications.map { Notice($0.type, $0.subtype).words })
        json.put("snapshots", erased.snapshots)
        json.put("removedSnapshots", erased.removedSnapshots)
        return json.finish()
    }
}
