import Foundation
import HTTPTypes
import TillCore
import TillShop
import TillStorage

/// What is done to everybody who has a product, account by account.
extension ControlAPI {
    private static let jobSchema = Schema.object(
        "An act that concerns many accounts.",
        [
            Schema.required("jobId", .string("The job.")),
            Schema.required("kind", .string("What is done.", oneOf: ["raisePrice", "extend", "shareProduct"])),
            Schema.required("productId", .string("Who has it is concerned.")),
            Schema.required("state", .string("How far it has come.", oneOf: ["waiting", "running", "done"])),
            Schema.required("effectiveDate", .integer("When it takes effect, by the clock of each customer.")),
            Schema.required("succeeded", .integer("Accounts in which it was done.")),
            Schema.required("failed", .integer("Accounts in which it could not be done.")),
            Schema.optional("completedDate", .integer("When it was done.")),
            Schema.optional("requestIdentifier", .string("extend: the identifier of the request.", format: "uuid")),
            Schema.optional("days", .integer("extend: by how many calendar days.")),
            Schema.optional("reasonCode", .integer("extend: 0 undeclared to 3.")),
            Schema.optional(
                "storefronts",
                .array("extend: only in these storefronts; absent for all.", of: .string("Alpha-3."))
            ),
            Schema.optional(
                "pendingClocks",
                .array(
                    "Clocks of customers' own that do not show effectiveDate yet; their customers are reached later.",
                    of: .string("A clock.")
                )
            ),
        ]
    )

    var jobRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/products/{productId}/price",
                id: "raisePrice",
                tag: "jobs",
                summary: "Raises a subscription's price: new customers pay it at once, subscribers after a notice.",
                request: .object(
                    "The new price.",
                    [
                        Schema.required("price", .integer("Thousandths for a full period.", 1...1_000_000_000_000)),
                        Schema.optional("currency", .string("The catalogue's by default.", example: "USD")),
                        Schema.optional("storefront", .string("Only where this storefront has a price of its own.")),
                        Schema.optional(
                            "consent",
                            .string(
                                "Whether subscribers must agree; automatic goes by the amount.",
                                oneOf: PriceRaise.Consent.allCases.map(\.rawValue)
                            )
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.jobSchema
            ) { try await raisePrice($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/products/{productId}/sharing",
                id: "shareProduct",
                tag: "jobs",
                summary: "Switches family sharing on for a product: families get what their members have.",
                request: .object("When.", [instantProperty]),
                response: Self.jobSchema
            ) { try await shareProduct($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/extensions",
                id: "extendAll",
                tag: "jobs",
                summary: "The running period of everybody who subscribes to a product ends later.",
                request: .object(
                    "A mass extension.",
                    [
                        Schema.required("productId", .string("The product.")),
                        Schema.required("days", .integer("Calendar days.", 1...90)),
                        Schema.optional("reasonCode", .integer("0 undeclared (default) to 3.", 0...3)),
                        Schema.optional("requestIdentifier", .string("A UUID; a new one by default.", format: "uuid")),
                        Schema.optional(
                            "storefronts",
                            .array("Only these; everywhere by default.", of: .string("Alpha-3."))
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.jobSchema
            ) { try await extendAll($0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/jobs",
                id: "listJobs",
                tag: "jobs",
                summary: "All jobs of the app's environment, by when they take effect.",
                response: .object("Jobs.", [Schema.required("jobs", .array("By date.", of: Self.jobSchema))])
            ) { exchange in
                var json = PayloadWriter()
                json.put("jobs", objects: try await shop.jobs(in: try exchange.scope()).map { self.json($0) })
                return json.finish()
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/jobs/{jobId}",
                id: "getJob",
                tag: "jobs",
                summary: "One job.",
                response: Self.jobSchema
            ) { exchange in
                let id = exchange.parameter("jobId")
                guard let job = try await shop.job(id), job.scope == (try exchange.scope()) else {
                    throw ControlError.notFound(
                        "unknown_job",
                        "There is no job \(id.prefix(64)); GET …/jobs lists them."
                    )
                }
                return json(job)
            },
        ]
    }

    private func product(_ id: String, _ exchange: ControlExchange, as types: Set<ProductType>) throws -> Product {
        guard let product = shop.registry.catalog(of: try exchange.app().bundleID).products[id] else {
            throw Refusal.unknownProduct(id)
        }
        guard types.contains(product.type) else {
            throw ControlError.conflict(
                "wrong_type",
                "Product \(id) is a \(product.type.wireName); this is for the types "
                    + types.map(\.wireName).sorted().joined(separator: " and ") + "."
            )
        }
        return product
    }

    private func raisePrice(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let body = exchange.body
        let product = try product(exchange.parameter("productId"), exchange, as: [.autoRenewable])
        let storefront = try body.storefront("storefront")
        let catalog = shop.registry.catalog(of: scope.app)
        let present = storefront.map { catalog.price(product.prices, in: $0) } ?? product.prices.standard
        let price = Money(milliunits: body.number("price") ?? 0, currency: body.text("currency") ?? present.currency)
        guard price.currency == present.currency else {
            throw ControlError.bad("bad_currency", "The price is in \(present.currency).", path: "$.currency")
        }
        guard price.milliunits > present.milliunits else {
            throw ControlError.conflict(
                "not_higher",
                "\(price.words) is not more than \(present.words); a lower price is a change of the catalogue."
            )
        }
        var prices = product.prices
        if let storefront { prices.byStorefront[storefront.code] = price } else { prices.standard = price }
        let raised = prices
        _ = try await shop.updateCatalog(of: scope.app) { catalog in
            var catalog = catalog
            catalog.products[product.id]?.prices = raised
            let plans = catalog.products[product.id]?.plan?.billingPlans ?? []
            for place in plans.indices where plans[place].kind == .billedUpfront {
                catalog.products[product.id]?.plan?.billingPlans[place].prices = raised
            }
            return catalog
        }
        let consent = body.text("consent").flatMap(PriceRaise.Consent.init(rawValue:)) ?? .automatic
        let task = Job.Work.raisePrice(PriceRaise(productID: product.id, prices: raised, consent: consent))
        return json(try await shop.startJob(task, in: scope, at: body.instant("at")))
    }

    private func shareProduct(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let id = exchange.parameter("productId")
        _ = try product(id, exchange, as: [.autoRenewable, .nonConsumable])
        _ = try await shop.updateCatalog(of: scope.app) { catalog in
            var catalog = catalog
            catalog.products[id]?.isFamilyShareable = true
            return catalog
        }
        return json(try await shop.startJob(.shareProduct(id), in: scope, at: exchange.body.instant("at")))
    }

    private func extendAll(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let body = exchange.body
        let product = try product(body.text("productId") ?? "", exchange, as: [.autoRenewable])
        let text = body.text("requestIdentifier") ?? UUID().uuidString
        guard let request = UUIDText.canonical(text) else {
            throw ControlError.bad(
                "bad_request_identifier",
                "The identifier of a mass extension is a UUID.",
                path: "$.requestIdentifier"
            )
        }
        let storefronts = body.texts("storefronts")
        for (place, code) in storefronts.enumerated() where Storefront(code: code) == nil {
            throw ControlError.bad(
                "bad_storefront",
                "\(code.prefix(16)) is not a storefront; give three capital letters such as USA or DEU.",
                path: "$.storefronts[\(place)]"
            )
        }
        let wanted = MassExtension(
            productID: product.id,
            days: Int(body.number("days") ?? 0),
            reasonCode: Int(body.number("reasonCode") ?? 0),
            request: request,
            storefronts: storefronts.isEmpty ? nil : storefronts
        )
        let id = shop.jobID(ofExtension: request, of: product.id, in: scope)
        return json(try await shop.startJob(.extend(wanted), in: scope, at: body.instant("at"), id: id))
    }

    private func json(_ job: JobRecord) -> [UInt8] {
        var json = PayloadWriter()
        json.put("jobId", job.id)
        switch job.task {
        case .raisePrice(let raise):
            json.put("kind", "raisePrice")
            json.put("productId", raise.productID)
        case .extend(let wanted):
            json.put("kind", "extend")
            json.put("productId", wanted.productID)
            json.put("requestIdentifier", wanted.request)
            json.put("days", wanted.days)
            json.put("reasonCode", wanted.reasonCode)
            if let storefronts = wanted.storefronts { json.put("storefronts", storefronts) }
        case .shareProduct(let product):
            json.put("kind", "shareProduct")
            json.put("productId", product)
        }
        json.put("state", job.state.rawValue)
        json.put("effectiveDate", job.at)
        json.put("succeeded", job.succeeded)
        json.put("failed", job.failed)
        json.put("completedDate", job.completedAt)
        let pending = shop.pendingClocks(of: job)
        if !pending.isEmpty { json.put("pendingClocks", pending) }
        return json.finish()
    }
}
