import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on families and Family Sharing.
extension ControlAPI {
    private static let familyProperties = [
        Schema.required("name", .string("The family's name.")),
        Schema.required("organizer", .string("The customer who organizes the family.")),
        Schema.required("members", .array("All members, the organizer first.", of: .string("A customer."))),
    ]

    private static let family = Schema.object("A family.", familyProperties)
    private static let changedFamily = Schema.object(
        "A family, and the effects of the operation.",
        familyProperties + Effects.properties
    )

    var familyRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/families",
                id: "createFamily",
                tag: "families",
                summary: "Creates a family of two to six customers. Customers who do not exist are created.",
                request: .object(
                    "The family to create.",
                    [
                        Schema.optional("name", .string("The family's name; by default the organizer's name.")),
                        Schema.required("organizer", .string("The customer who organizes the family.")),
                        Schema.required("members", .array("The other members.", of: .string("A customer."))),
                    ]
                ),
                response: Self.changedFamily,
                status: .created
            ) { exchange in
                let scope = try exchange.scope()
                let organizer = try ControlExchange.checked(customer: exchange.body.text("organizer") ?? "")
                let members = try exchange.body.texts("members").map { try ControlExchange.checked(customer: $0) }
                guard !members.isEmpty, members.count < FamilyMembership.maxMembers, !members.contains(organizer)
                else {
                    throw ControlError.bad(
                        "bad_members",
                        "Name one to five members in addition to the organizer.",
                        path: "$.members"
                    )
                }
                guard Set(members).count == members.count else {
                    throw ControlError.bad("bad_members", "A member is named twice.", path: "$.members")
                }
                let effects = try await shop.exclusively("families/\(scope.environment.rawValue)/\(scope.app)") {
                    // All members are checked first, so that either all of them join or none.
                    for member in [organizer] + members { try await checkIsFree(CustomerName(scope, member)) }
                    let host = try await shop.openAccount(CustomerName(scope, organizer), Opening())
                    var effects = Effects()
                    for member in members {
                        effects.add(Effects(try await join(member, host, named: exchange.body.text("name"), scope)))
                    }
                    return effects
                }
                return try await json(familyOf: CustomerName(scope, organizer), effects)
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/family",
                id: "getFamily",
                tag: "families",
                summary: "Shows the family of a customer.",
                response: Self.family
            ) { try await json(familyOf: try $0.customer()) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/family/members",
                id: "joinFamily",
                tag: "families",
                summary: "Adds another customer to this customer's family.",
                request: .object(
                    "The customer who joins the family.",
                    [Schema.required("customer", .string("A customer."))]
                ),
                response: Self.changedFamily
            ) { exchange in
                let host = try await exchange.account()
                let member = try ControlExchange.checked(customer: exchange.body.text("customer") ?? "")
                guard member != host.customer else {
                    throw ControlError.bad(
                        "bad_members",
                        "A customer cannot join their own family.",
                        path: "$.customer"
                    )
                }
                let outcome = try await join(member, host, named: nil, try exchange.scope())
                return try await json(familyOf: try exchange.customer(), Effects(outcome))
            },
            ControlRoute(
                method: .delete,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/family",
                id: "leaveFamily",
                tag: "families",
                summary: "Removes the customer from the family. When the organizer leaves, the family ends.",
                response: .object("The effects.", Effects.properties)
            ) { exchange in
                var json = JSONWriter()
                Effects(try await shop.perform(.leaveFamily, by: try exchange.customer())).write(to: &json)
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/sharing",
                id: "setSharing",
                tag: "families",
                summary: "Starts or stops sharing a purchase with the purchaser's family.",
                request: .object(
                    "Whether to share the purchase.",
                    [
                        Schema.required("shared", .boolean("True shares the purchase; false stops sharing it.")),
                        instantProperty,
                    ]
                ),
                response: Self.purchaseSchema
            ) { exchange in
                let shared = exchange.body.flag("shared") ?? true
                return try await perform(onTransactionOf: exchange) { .shareWithFamily($0, shared) }
            },
        ]
    }

    private func checkIsFree(_ name: CustomerName) async throws {
        let scope = name.scope
        let account = try await shop.storage.account(
            environment: scope.environment,
            app: scope.app,
            customer: name.customer
        )
        if let family = account?.family {
            throw Refusal.alreadyInFamily(customer: name.customer, family: family.name)
        }
    }

    private func join(_ member: String, _ host: Account, named name: String?, _ scope: AccountScope) async throws
        -> Outcome
    {
        try await shop.perform(
            .joinFamily(of: host.id, named: name ?? host.customer),
            by: CustomerName(scope, member),
            opening: Opening(storefront: host.storefront)
        )
    }

    private func json(familyOf name: CustomerName, _ effects: Effects? = nil) async throws -> [UInt8] {
        let scope = name.scope
        guard
            let account = try await shop.storage.account(
                environment: scope.environment,
                app: scope.app,
                customer: name.customer
            )
        else { throw Refusal.unknownAccount(name.customer) }
        guard let family = account.family else {
            throw ControlError.notFound("no_family", "Customer \(name.customer) is not in a family.")
        }
        var members: [AccountID: String] = [:]
        for id in family.members { members[id] = try await shop.storage.storedAccount(id)?.customer }
        var json = JSONWriter()
        json.put("name", family.name)
        json.put("organizer", members[family.organizer])
        json.put("members", family.members.compactMap { members[$0] })
        effects?.write(to: &json)
        return json.finish()
    }
}
