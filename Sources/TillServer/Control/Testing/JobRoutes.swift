import Foundation
import TillControl
import TillCore
import TillShop
import TillStorage

/// Bulk operations on all customers of a product. A job applies the operation to one account after the other.
extension ControlAPI {
    var jobRoutes: [ControlRoute] {
        [
            ControlRoute(RaisePrice.self) { try await raisePrice($0) },
            ControlRoute(ShareProduct.self) { try await shareProduct($0) },
            ControlRoute(ExtendAll.self) { try await extendAll($0) },
            ControlRoute(ListJobs.self) { call in
                try await shop.jobs.all(in: try call.scope()).map { info(of: $0) }
            },
            ControlRoute(GetJob.self) { call in
                guard let job = try await shop.jobs.job(call.jobId), job.scope == (try call.scope()) else {
                    throw ControlError.notFound(
                        "unknown_job",
                        "There is no job \(call.jobId.prefix(64)). List them with GET …/jobs."
                    )
                }
                return info(of: job)
            },
        ]
    }

    private func product(_ id: String, of app: String, as types: Set<ProductKind>) throws -> Product {
        guard let product = shop.registry.catalog(of: app).products[id] else {
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

    private func raisePrice(_ call: ControlCall<RaisePrice>) async throws -> JobInfo {
        let scope = try call.scope()
        let product = try product(call.productId, of: scope.app, as: [.autoRenewable])
        let catalog = shop.registry.catalog(of: scope.app)
        let present = call.storefront.map { catalog.price(product.prices, in: $0) } ?? product.prices.standard
        let price = Money(milliunits: call.price, currency: call.currency ?? present.currency)
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
        if let storefront = call.storefront {
            prices.byStorefront[storefront.code] = price
        } else {
            prices.standard = price
        }
        try shop.jobs.checkStart(at: call.at, in: scope)
        try await setPrices(prices, of: product.id, of: scope.app)
        let raise = PriceRaise(productID: product.id, prices: prices, consent: call.consent ?? .automatic)
        return info(of: try await shop.jobRunner.start(.raisePrice(raise), in: scope, at: call.at))
    }

    /// Changes the prices of a subscription in the catalog, also those of its plans that are billed upfront.
    private func setPrices(_ prices: PriceList, of product: String, of app: String) async throws {
        _ = try await shop.setup.updateCatalog(of: app) { catalog in
            var catalog = catalog
            catalog.products[product]?.prices = prices
            let plans = catalog.products[product]?.plan?.billingPlans ?? []
            for place in plans.indices where plans[place].kind == .billedUpfront {
                catalog.products[product]?.plan?.billingPlans[place].prices = prices
            }
            return catalog
        }
    }

    private func shareProduct(_ call: ControlCall<ShareProduct>) async throws -> JobInfo {
        let scope = try call.scope()
        let id = try product(call.productId, of: scope.app, as: [.autoRenewable, .nonConsumable]).id
        try shop.jobs.checkStart(at: call.at, in: scope)
        _ = try await shop.setup.updateCatalog(of: scope.app) { catalog in
            var catalog = catalog
            catalog.products[id]?.isFamilyShareable = true
            return catalog
        }
        return info(of: try await shop.jobRunner.start(.shareProduct(id), in: scope, at: call.at))
    }

    private func extendAll(_ call: ControlCall<ExtendAll>) async throws -> JobInfo {
        let scope = try call.scope()
        let product = try product(call.productId, of: scope.app, as: [.autoRenewable])
        guard let request = UUIDText.canonical(call.requestIdentifier ?? UUID().uuidString) else {
            throw ControlError.bad(
                "bad_request_identifier",
                "The identifier of a mass extension must be a UUID.",
                path: "$.requestIdentifier"
            )
        }
        let storefronts = (call.storefronts ?? []).map(\.code)
        let work = MassExtension(
            productID: product.id,
            days: call.days,
            reasonCode: call.reasonCode ?? 0,
            request: request,
            storefronts: storefronts.isEmpty ? nil : storefronts
        )
        let id = shop.jobRunner.id(ofExtension: request, of: product.id, in: scope)
        return info(of: try await shop.jobRunner.start(.extend(work), in: scope, at: call.at, id: id))
    }

    private func info(of job: JobRecord) -> JobInfo {
        let pending = shop.jobs.pendingClocks(of: job)
        var info = JobInfo(
            jobId: job.id,
            kind: .shareProduct,
            productId: "",
            state: job.state,
            effectiveDate: job.at,
            succeeded: job.succeeded,
            failed: job.failed,
            completedDate: job.completedAt,
            pendingClocks: pending.isEmpty ? nil : pending
        )
        switch job.task {
        case .raisePrice(let raise):
            info.kind = .raisePrice
            info.productId = raise.productID
        case .extend(let work):
            info.kind = .extend
            info.productId = work.productID
            info.requestIdentifier = work.request
            info.days = work.days
            info.reasonCode = work.reasonCode
            info.storefronts = work.storefronts?.compactMap { Storefront(code: $0) }
        case .shareProduct(let product):
            info.productId = product
        }
        return info
    }
}
