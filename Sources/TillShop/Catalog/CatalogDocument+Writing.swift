import TillCore
import TillJSON

extension CatalogDocument {
    /// A catalog in the form that ``catalog(from:)`` reads. Groups and products are sorted by identifier.
    package static func tree(of catalog: Catalog) -> JSONTree {
        let groups = catalog.groups.values.sorted { $0.id < $1.id }.map(tree)
        let products = catalog.products.values.sorted { $0.id < $1.id }.map(tree)
        return .object([
            .init("groups", .array(groups)),
            .init("products", .array(products)),
            .init("settings", tree(of: catalog.settings)),
        ])
    }

    /// A group in the form that ``group(from:)`` reads.
    package static func tree(of group: SubscriptionGroup) -> JSONTree {
        .object([
            .init("groupId", .string(group.id)),
            .init("name", .string(group.name)),
            .init("localizations", tree(of: group.localizations)),
        ])
    }

    /// A product in the form that ``product(from:settings:)`` reads.
    package static func tree(of product: Product) -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("productId", .string(product.id)),
            .init("type", .string(product.type.queryName)),
            .init("referenceName", .string(product.referenceName)),
        ]
        members += self.members(of: product.prices)
        members += [
            .init("familyShareable", .bool(product.isFamilyShareable)),
            .init("forSale", .bool(product.isForSale)),
            .init("localizations", tree(of: product.localizations)),
        ]
        if let plan = product.plan { members.append(.init("subscription", tree(of: plan))) }
        members.append(.init("offers", .array(product.offers.map(tree))))
        return .object(members)
    }

    private static func tree(of plan: SubscriptionPlan) -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("groupId", .string(plan.groupID)),
            .init("level", .number("\(plan.level)")),
            .init("period", .string(plan.period.iso8601)),
        ]
        if !plan.billingPlans.isEmpty {
            members.append(.init("billingPlans", .array(plan.billingPlans.map(tree))))
        }
        return .object(members)
    }

    private static func tree(of plan: BillingPlan) -> JSONTree {
        var members: [JSONTree.Member] = [.init("kind", .string(plan.kind.rawValue))]
        members += self.members(of: plan.prices)
        if let commitment = plan.commitmentPrices {
            members.append(.init("commitment", .object(self.members(of: commitment))))
        }
        members.append(.init("enabled", .bool(plan.isEnabled)))
        return .object(members)
    }

    private static func tree(of offer: Offer) -> JSONTree {
        var members: [JSONTree.Member] = [.init("kind", .string(OfferNames.name(of: offer.kind)))]
        if let id = offer.id { members.append(.init("id", .string(id))) }
        if let name = offer.referenceName { members.append(.init("referenceName", .string(name))) }
        members.append(.init("mode", .string(offer.mode.rawValue)))
        if let period = offer.period {
            members.append(.init("period", .string(period.iso8601)))
            members.append(.init("periodCount", .number("\(offer.periodCount)")))
        }
        if let prices = offer.prices { members += self.members(of: prices) }
        if !offer.audience.isEmpty {
            let words = CodeAudience.allCases.filter(offer.audience.contains).map(\.rawValue)
            members.append(.init("audience", .array(words.map { .string($0.uppercased()) })))
        }
        if let limit = offer.redemptionLimit { members.append(.init("redemptionLimit", .number("\(limit)"))) }
        if offer.kind == .code, offer.mode != .oneTime { members.append(.init("stackable", .bool(offer.isStackable))) }
        if let winBack = offer.winBack { members.append(.init("winBack", tree(of: winBack))) }
        if let plan = offer.billingPlan { members.append(.init("billingPlan", .string(plan.rawValue))) }
        return .object(members)
    }

    private static func tree(of criteria: WinBackCriteria) -> JSONTree {
        let months = criteria.monthsSinceExpiry
        return .object([
            .init("minimumPaidMonths", .number("\(criteria.minimumPaidMonths)")),
            .init("monthsSinceExpiry", .array([.number("\(months.lowerBound)"), .number("\(months.upperBound)")])),
            .init("monthsBetweenOffers", .number("\(criteria.monthsBetweenOffers)")),
        ])
    }

    private static func tree(of localizations: [Localization]) -> JSONTree {
        .array(
            localizations.map { entry in
                .object([
                    .init("locale", .string(entry.locale)),
                    .init("displayName", .string(entry.displayName)),
                    .init("description", .string(entry.description)),
                ])
            }
        )
    }

    private static func members(of prices: PriceList) -> [JSONTree.Member] {
        var members = self.members(of: prices.standard)
        if !prices.byStorefront.isEmpty {
            let entries = prices.byStorefront.sorted { $0.key < $1.key }
            let object = entries.map { JSONTree.Member($0.key, .object(self.members(of: $0.value))) }
            members.append(.init("prices", .object(object)))
        }
        return members
    }

    private static func members(of money: Money) -> [JSONTree.Member] {
        [.init("price", .string(DecimalAmount.text(money.milliunits))), .init("currency", .string(money.currency))]
    }

    private static func tree(of settings: CatalogSettings) -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("storefront", .string(settings.storefront)),
            .init("locale", .string(settings.locale)),
            .init("timeRate", .number("\(settings.timeRate)")),
            .init("billingGracePeriodEnabled", .bool(settings.isBillingGracePeriodEnabled)),
            .init("renewalBillingIssuesEnabled", .bool(settings.areRenewalBillingIssuesEnabled)),
            .init("askToBuyEnabled", .bool(settings.isAskToBuyEnabled)),
        ]
        if let id = settings.appAppleID { members.append(.init("appAppleId", .number("\(id)"))) }
        return .object(members)
    }
}
