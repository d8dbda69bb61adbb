import TillCore
import TillJSON

extension StoreKitFile {
    /// Reads an element of `subscriptionGroups`, with its products.
    mutating func group(_ object: DocumentObject) {
        let id = reader.identifier(object, "id")
        if let id, catalog.groups[id] != nil {
            let found = JSONTree.string(id).summary + " again"
            reader.fault(object.path("id"), expected: "a unique identifier for each group", found: found)
        }
        let name = reader.text(object, "name")
        let localizations = reader.localizations(object)
        if let id {
            catalog.groups[id] = SubscriptionGroup(id: id, name: name ?? id, localizations: localizations)
        }
        for subscription in reader.objects(object, "subscriptions", atMost: CatalogLimits.products) {
            self.subscription(subscription, groupID: id)
        }
    }

    private mutating func subscription(_ object: DocumentObject, groupID: String?) {
        let id = productID(object)
        _ = reader.choice(object, "type", of: ["RecurringSubscription": ProductKind.autoRenewable])
        if let named = reader.identifier(object, "subscriptionGroupID", isRequired: false), let groupID,
            named != groupID
        {
            let found = JSONTree.string(named).summary
            let expected = "the group that holds it, \"\(JSONTree.short(groupID))\""
            reader.fault(object.path("subscriptionGroupID"), expected: expected, found: found)
        }
        let price = reader.money(object, "displayPrice", currency: currency)
        let level = reader.integer(object, "groupNumber", in: CatalogLimits.levels, isRequired: true)
        let period = reader.period(object, "recurringSubscriptionPeriod", oneOf: OfferRules.subscriptionPeriods)
        let isShareable = familyShareable(object)
        let referenceName = reader.text(object, "referenceName")
        let localizations = reader.localizations(object)
        let billingPlans = billingPlans(object, period: period)
        let offers = offers(object, period: period)
        guard let id, let groupID, let price, let level, let period else { return }
        catalog.products[id] = Product(
            id: id,
            type: .autoRenewable,
            referenceName: referenceName ?? id,
            localizations: localizations,
            prices: PriceList(standard: price),
            isFamilyShareable: isShareable,
            plan: SubscriptionPlan(groupID: groupID, level: level, period: period, billingPlans: billingPlans),
            offers: offers
        )
    }

    private mutating func billingPlans(_ object: DocumentObject, period: Period?) -> [BillingPlan] {
        var plans: [BillingPlan] = []
        for entry in reader.objects(object, "billingPlans", atMost: CatalogLimits.billingPlans) {
            let kind = reader.choice(entry, "billingPlanType", of: OfferRules.billingPlanKinds)
            let price = reader.money(entry, "displayPrice", currency: currency)
            let commitment = reader.money(entry, "commitmentDisplayPrice", currency: currency, isRequired: false)
            let isEnabled = reader.flag(entry, "isEnabled", default: true)
            if let kind {
                let path = entry.path("billingPlanType")
                OfferRules.check(kind, path: path, after: plans, period: period, reader: &reader)
            }
            guard let kind, let price else { continue }
            let prices = PriceList(standard: price)
            let whole = commitment.map { PriceList(standard: $0) } ?? OfferRules.commitment(of: prices)
            plans.append(
                BillingPlan(
                    kind: kind,
                    prices: prices,
                    commitmentPrices: kind == .monthly ? whole : nil,
                    isEnabled: isEnabled
                )
            )
        }
        return plans
    }

    // MARK: - Offers

    /// Reads the offers of every kind; introductory offers come first.
    private mutating func offers(_ object: DocumentObject, period: Period?) -> [Offer] {
        var found: [(offer: Offer, path: String)] = []
        var introductory = list(object, "introductoryOffers", .introductory, period)
        // Files of version 5 contain a list of introductory offers, and one of them again for older versions of Xcode.
        if let exclusive = reader.object(object, "introductoryOffer"),
            let offer = offer(exclusive, kind: .introductory, period: period),
            !introductory.contains(where: { $0.offer.billingPlan == offer.billingPlan })
        {
            introductory.append((offer, exclusive.path))
        }
        found += introductory
        found += list(object, "adHocOffers", .promotional, period)
        found += list(object, "codeOffers", .code, period)
        found += list(object, "winbackOffers", .winBack, period)
        found += list(object, "winBackOffers", .winBack, period)
        OfferRules.checkUniqueness(found, reader: &reader)
        return found.map(\.offer)
    }

    private mutating func list(
        _ object: DocumentObject,
        _ key: String,
        _ kind: OfferType,
        _ period: Period?
    ) -> [(offer: Offer, path: String)] {
        reader.objects(object, key, atMost: CatalogLimits.offers).compactMap { entry in
            offer(entry, kind: kind, period: period).map { ($0, entry.path) }
        }
    }

    private mutating func offer(_ object: DocumentObject, kind: OfferType, period: Period?) -> Offer? {
        let id = offerID(object, kind: kind)
        let mode = reader.choice(
            object,
            "paymentMode",
            of: ["free": OfferDiscountType.freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront]
        )
        let plan = reader.choice(object, "billingPlanType", of: OfferRules.billingPlanKinds, isRequired: false)
        let referenceName = kind == .introductory ? nil : reader.text(object, "referenceName")
        let audience = kind == .code ? audience(object) : []
        let isStackable = kind == .code && reader.flag(object, "isStackable")
        guard let mode else { return nil }
        // Files of early versions may contain a price for a free offer; that price has no meaning.
        let price = mode == .freeTrial ? nil : reader.money(object, "displayPrice", currency: currency)
        let length = OfferRules.length(
            of: object,
            mode: mode,
            base: plan == .monthly ? Period(1, .month) : period,
            keys: OfferRules.Keys(period: "subscriptionPeriod", count: "numberOfPeriods"),
            reader: &reader
        )
        guard let length, kind == .introductory || id != nil, mode == .freeTrial || price != nil else { return nil }
        return Offer(
            kind: kind,
            id: id,
            referenceName: referenceName,
            mode: mode,
            period: length.period,
            periodCount: length.count,
            prices: price.map { PriceList(standard: $0) },
            audience: audience,
            isStackable: isStackable,
            winBack: kind == .winBack ? WinBackCriteria() : nil,
            billingPlan: plan == .monthly ? .monthly : nil
        )
    }

    private mutating func offerID(_ object: DocumentObject, kind: OfferType) -> String? {
        switch kind {
        case .introductory: nil
        case .promotional: reader.identifier(object, "offerID")
        case .code: reader.identifier(object, "referenceName")
        // It is unknown which of the two keys Xcode writes for a win-back offer, so both are accepted.
        case .winBack:
            if object["offerID"] == nil, object["referenceName"] != nil {
                reader.identifier(object, "referenceName")
            } else {
                reader.identifier(object, "offerID")
            }
        }
    }

    private mutating func audience(_ object: DocumentObject) -> Set<CodeAudience> {
        let words: KeyValuePairs<String, CodeAudience> = ["new": .new, "existing": .existing, "expired": .expired]
        let entries = reader.elements(object, "eligibility", atMost: CatalogLimits.offers)
        return Set(entries.compactMap { reader.choice($0, of: words) })
    }
}
