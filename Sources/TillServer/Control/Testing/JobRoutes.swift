import Foundation
import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Bulk operations on all customers of a product. A job applies the operation to one account after the other.
extension ControlAPI {
    private static let instantProperty = Schema.optional(
        "at",
        .integer("The time of the operation, in milliseconds since 1970; now by default.", ControlLimit.clockTimes)
    )

    private static let jobSchema = Schema.object(
        "A job: a bulk operation on the accounts of a product's customers.",
        [
            Schema.required("jobId", .string("The job id.")),
            Schema.required("kind", .string("The operation.", oneOf: ["raisePrice", "extend", "shareProduct"])),
            Schema.required("productId", .string("The product whose customers are affected.")),
            Schema.required("state", .string("The state of the job.", oneOf: ["waiting", "running", "done"])),
            Schema.required(
                "effectiveDate",
                .integer("When the operation applies on each customer's clock, in milliseconds since 1970.")
            ),
            Schema.required("succeeded", .integer("The number of accounts for which the operation succeeded.")),
            Schema.required("failed", .integer("The number of accounts for which the operation failed.")),
            Schema.optional("completedDate", .integer("When the job was completed, in milliseconds since 1970.")),
            Schema.optional("requestIdentifier", .string("Only for extend: the request identifier.", format: "uuid")),
            Schema.optional("days", .integer("Only for extend: the number of calendar days.")),
            Schema.optional("reasonCode", .integer("Only for extend: the reason, 0 (undeclared) to 3.")),
            Schema.optional(
                "storefronts",
                .array("Only for extend: the storefronts; absent for all storefronts.", of: .string("An Alpha-3 code."))
            ),
            Schema.optional(
                "pendingClocks",
                .array(
                    "Customer clocks before effectiveDate. The job applies to their customers at that date.",
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
                summary:
                    "Raises the price of a subscription. New customers pay it at once; subscribers are notified first.",
                request: .object(
                    "The new price.",
                    [
                        Schema.required(
                            "price",
                            .integer("The price of a full period in milliunits.", 1...1_000_000_000_000)
                        ),
                        Schema.optional(
                            "currency",
                            .string("The currency of the price; by default the catalog's currency.", example: "USD")
                        ),
                        Schema.optional(
                            "storefront",
                            .string("Only in this storefront, which must have a price of its own.")
                        ),
                        Schema.optional(
                            "consent",
                            .string(
                                "Whether subscribers must consent. automatic depends on the amount.",
                                oneOf: PriceRaise.Consent.allCases.map(\.rawValue)
                            )
                        ),
                        Self.instantProperty,
                    ]
                ),
                response: Self.jobSchema
            ) { try await raisePrice($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/products/{productId}/sharing",
                id: "shareProduct",
                tag: "jobs",
                summary: "Turns on Family Sharing for a product. Families then share what their members own.",
                request: .object("When.", [Self.instantProperty]),
                response: Self.jobSchema
            ) { try await shareProduct($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/extensions",
                id: "extendAll",
                tag: "jobs",
                summary: "Extends the current period of all subscribers of a product.",
                request: .object(
                    "The mass extension.",
                    [
                        Schema.required("productId", .string("The product identifier.")),
                        Schema.required("days", .integer("The number of calendar days.", 1...90)),
                        Schema.optional("reasonCode", .integer("The reason, 0 (undeclared, the default) to 3.", 0...3)),
                        Schema.optional(
                            "requestIdentifier",
                            .string("The request identifier, a UUID; by default a new one.", format: "uuid")
                        ),
                        Schema.optional(
                            "storefronts",
                            .array("The storefronts; by default all storefronts.", of: .string("An Alpha-3 code."))
                        ),
                        Self.instantProperty,
                    ]
                ),
                response: Self.jobSchema
            ) { try await extendAll($0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/jobs",
                id: "listJobs",
                tag: "jobs",
                summary: "Lists the jobs of the app's environment by effective date.",
                response: .object(
                    "Jobs.",
                    [Schema.required("jobs", .array("The jobs by effective date.", of: Self.jobSchema))]
                )
            ) { exchange in
                var json = JSONWriter()
                json.put("jobs", objects: try await shop.jobs(in: try exchange.scope()).map { self.json($0) })
                return json.finish()
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/jobs/{jobId}",
                id: "getJob",
                tag: "jobs",
                summary: "Shows one job.",
                response: Self.jobSchema
            ) { exchange in
                let id = exchange.parameter("jobId")
                guard let job = try await shop.job(id), job.scope == (try exchange.scope()) else {
                    throw ControlError.notFound(
                        "unknown_job",
                        "There is no job \(id.prefix(64)). List them with GET …/jobs."
                    )
                }
                return json(job)
            },
        ]
    }

    private func product(_ id: String, _ exchange: ControlExchange, as types: Set<ProductKind>) throws -> Product {
        guard let product = shop.registry.catalog(of: try exchange.app().bundleID).products[id] else {
            throw Refusal.unknownProduct(id)
        }
        guard types.contains(product.type) else {
            throw ControlError.conflict(
                "wrong_type",
                "Product \(id) is of type \(product.type.wireName). Required: "
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
            throw ControlError.bad("bad_currency", "The price must be in \(present.currency).", path: "$.currency")
        }
        guard price.milliunits > present.milliunits else {
            throw ControlError.conflict(
                "not_higher",
                "\(price.words) is not more than the present \(present.words). To lower a price, change the catalog."
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
                "The identifier of a mass extension must be a UUID.",
                path: "$.requestIdentifier"
            )
        }
        let storefronts = body.texts("storefronts")
        for (place, code) in storefronts.enumerated() where Storefront(code: code) == nil {
            throw ControlError.bad(
                "bad_storefront",
                "\(code.prefix(16)) is not a storefront. Give three capital letters such as USA or DEU.",
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
        var json = JSONWriter()
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
