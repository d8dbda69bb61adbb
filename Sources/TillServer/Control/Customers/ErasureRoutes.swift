import HTTPTypes
import TillCore
import TillShop
import TillStorage

/// The end of a customer.
extension ControlAPI {
    var erasureRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/erase",
                id: "eraseCustomer",
                tag: "customers",
                summary: "Erases a customer and everything that names them in this app and environment, for ever.",
                request: .object(
                    "How far.",
                    [
                        Schema.optional("dryRun", .boolean("Counts, and changes nothing.")),
                        Schema.optional(
                            "removeSnapshots",
                            .boolean("Removes the snapshots, too, in which the customer stands.")
                        ),
                    ]
                ),
                response: .object(
                    "What was erased, or would be.",
                    [
                        Schema.required("customer", .string("Whose name may be used anew.")),
                        Schema.required("dryRun", .boolean("Whether nothing was changed.")),
                        Schema.required("transactions", .integer("How many transactions.")),
                        Schema.required("notificationsErased", .integer("How many notifications about them.")),
                        Schema.required("deliveries", .integer("How many deliveries of these, done or owed.")),
                        Schema.required("journalEntries", .integer("How many entries of the journal.")),
                        Schema.required("faults", .integer("How many fault rules that were made for them.")),
                        Schema.optional("family", .string("The family that they belonged to.")),
                        Schema.required(
                            "notifications",
                            .array(
                                "What the developer's server is told of the family, which lost what was shared.",
                                of: .string("A type.", example: "REVOKE")
                            )
                        ),
                        Schema.required(
                            "snapshots",
                            .array("Snapshots that hold them still.", of: .string("A snapshot."))
                        ),
                        Schema.required(
                            "removedSnapshots",
                            .array("Snapshots that were removed, or would be.", of: .string("A snapshot."))
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
        var json = PayloadWriter()
        json.put("customer", customer.customer)
        json.put("dryRun", isDryRun)
        json.put("transactions", erased.belongings.transactions)
        json.put("notificationsErased", erased.belongings.notifications)
        json.put("deliveries", erased.belongings.deliveries)
        json.put("journalEntries", erased.journalEntries)
        json.put("faults", erased.faults)
        json.put("family", erased.family)
        json.put("notifications", erased.notifications.map { Notice($0.type, $0.subtype).words })
        json.put("snapshots", erased.snapshots)
        json.put("removedSnapshots", erased.removedSnapshots)
        return json.finish()
    }
}
