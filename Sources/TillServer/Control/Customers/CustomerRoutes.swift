import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on the customers of an app and environment.
extension ControlAPI {
    static let customerSchema = Schema.object("A customer of an app in an environment.", customerProperties)

    static let customerProperties = [
        Schema.required("customer", .string("The customer's name in Till.")),
        Schema.required("appTransactionId", .string("The customer's app transaction id.")),
        Schema.required("storefront", .string("The customer's storefront.")),
        Schema.required("hasAppTransaction", .boolean("Whether the customer downloaded the app.")),
        Schema.required("card", .string("The state of the customer's card.", oneOf: Card.allCases.map(\.rawValue))),
        Schema.required("asksToBuy", .boolean("Whether a parent must approve the customer's purchases (Ask to Buy).")),
        Schema.required("heldPurchases", .integer("The number of pending purchases.")),
        Schema.required("refundRequests", .integer("The number of undecided refund requests.")),
        Schema.required("transactions", .integer("The number of transactions.")),
        Schema.required(
            "owned",
            .array("The non-consumables that the customer owns.", of: .string("A product identifier."))
        ),
        Schema.required(
            "subscriptions",
            .array(
                "The customer's subscriptions: one for each purchaser and subscription group.",
                of: subscriptionSchema
            )
        ),
        Schema.optional("family", .string("The name of the customer's family.")),
        Schema.optional("clock", .string("The name of the customer clock; absent for the environment's clock.")),
    ]

    static let damagedCustomers = Schema.optional(
        "damaged",
        .array(
            "Customers on the page whose stored accounts cannot be read; absent if there are none.",
            of: .string("The customer, and why the account cannot be read.")
        )
    )

    var customerRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers",
                id: "listCustomers",
                tag: "customers",
                summary: "Lists customers, oldest first, in pages.",
                query: [
                    Schema.optional("after", .string("The last appTransactionId of the previous page.")),
                    Schema.optional("limit", .string("Maximum number of results, 1 to 100; 50 by default.")),
                ],
                response: .object(
                    "A page of customers.",
                    [
                        Schema.required("customers", .array("The customers on the page.", of: Self.customerSchema)),
                        Self.damagedCustomers,
                        Schema.optional(
                            "next",
                            .string("The value of `after` for the next page; absent on the last page.")
                        ),
                    ]
                )
            ) { try await listCustomers($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers",
                id: "createCustomer",
                tag: "customers",
                summary: "Creates a customer. An existing customer is not changed.",
                request: .object(
                    "The customer to create.",
                    [
                        Schema.required("customer", .string("The customer's name, 1 to 128 bytes.")),
                        Schema.optional(
                            "storefront",
                            .string("The storefront, an Alpha-3 code; the catalog's by default.", example: "DEU")
                        ),
                        Schema.optional(
                            "downloadsApp",
                            .boolean("False if the customer never downloaded the app and has no app transaction.")
                        ),
                        Schema.optional(
                            "platform",
                            .string(
                                "The platform on which the customer downloads the app.",
                                oneOf: AppTransaction.Platform.allCases.map(\.rawValue)
                            )
                        ),
                        Schema.optional("applicationVersion", .string("The downloaded app version; 1.0 by default.")),
                        Schema.optional(
                            "at",
                            .integer("The creation time, in milliseconds since 1970; now by default.", instants)
                        ),
                    ]
                ),
                response: Self.customerSchema,
                status: .created
            ) { exchange in
                let name = CustomerName(
                    try exchange.scope(),
                    try ControlExchange.checked(newCustomer: exchange.body.text("customer") ?? "")
                )
                let account = try await shop.openAccount(
                    name,
                    try Self.opening(exchange.body),
                    at: exchange.body.instant("at")
                )
                return json(account)
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}",
                id: "getCustomer",
                tag: "customers",
                summary: "Shows one customer, with subscriptions and owned products.",
                response: Self.customerSchema
            ) { json(try await $0.account()) },
        ]
    }

    /// The instants that operations accept: the validity of the certificates, from 2008 to 2100.
    var instants: ClosedRange<Int64> { ClockState.start.milliseconds...ClockState.end.milliseconds }

    static func opening(_ body: ControlBody) throws -> Opening {
        Opening(
            storefront: try body.storefront("storefront"),
            downloadsApp: body.flag("downloadsApp") ?? true,
            platform: body.text("platform").flatMap(AppTransaction.Platform.init(rawValue:)) ?? .iOS,
            applicationVersion: body.text("applicationVersion") ?? "1.0"
        )
    }

    private func listCustomers(_ exchange: ControlExchange) async throws -> [UInt8] {
        let wrong = ControlError.bad(
            "bad_page",
            "limit must be 1 to 100, and after an appTransactionId.",
            path: "limit"
        )
        let limit = try exchange.query.values("limit").first.map { text in
            guard let limit = Int(text), (1...100).contains(limit) else { throw wrong }
            return limit
        }
        let after = try exchange.query.values("after").first.map { text in
            guard let number = Int64(text) else { throw wrong }
            return AccountID(number)
        }
        let size = limit ?? 50
        let accounts = try await shop.storage.storedAccounts(of: try exchange.scope(), after: after, limit: size + 1)
        let page = accounts.prefix(size)
        var json = JSONWriter()
        json.put("customers", objects: page.compactMap(\.account).map { self.json($0) })
        Self.put(damaged: page.compactMap(\.damage), to: &json)
        if accounts.count > size { json.put("next", accounts[size - 1].id.wireForm) }
        return json.finish()
    }

    /// Adds the customers of a page with unreadable accounts.
    static func put(damaged: [DamagedAccount], to json: inout JSONWriter) {
        if !damaged.isEmpty { json.put("damaged", damaged.map { "\($0.description.capitalizedFirst)." }) }
    }

    /// Writes a customer as in answers of the control API.
    func json(_ account: Account) -> [UInt8] {
        var json = JSONWriter()
        write(account, to: &json)
        return json.finish()
    }

    func write(_ account: Account, to json: inout JSONWriter) {
        json.put("customer", account.customer)
        json.put("appTransactionId", account.id.wireForm)
        json.put("storefront", account.storefront.code)
        json.put("hasAppTransaction", account.appTransaction != nil)
        json.put("card", account.card.rawValue)
        json.put("asksToBuy", account.asksToBuy)
        json.put("heldPurchases", account.heldPurchases.count)
        json.put("refundRequests", account.refundRequests.count)
        json.put("transactions", account.rowCount)
        json.put("owned", account.productsOwned.sorted())
        json.put("subscriptions", objects: account.heldSubscriptions.map { self.json($0, account) })
        json.put("family", account.family?.name)
        json.put("clock", account.clock)
    }
}
