import TillCore
import TillJSON

extension CatalogDocumentReader {
    /// Reads the subscription plan of a product from the key `subscription`.
    mutating func subscription(_ object: DocumentObject) -> SubscriptionPlan? {
        guard object["subscription"] != nil else {
            reader.fault(object.path("subscription"), expected: "an object with groupId and period", found: "nothing")
            return nil
        }
        guard let entry = reader.object(object, "subscription") else { return nil }
        reader.onlyKeys(entry, ["groupId", "level", "period", "billingPlans"])
        let groupID = reader.identifier(entry, "groupId")
        let level = reader.integer(entry, "level", in: CatalogLimits.levels, isRequired: true)
        let period = reader.period(entry, "period", oneOf: OfferRules.subscriptionPeriods)
        let billingPlans = billingPlans(entry, period: period)
        guard let groupID, let level, let period else { return nil }
        return SubscriptionPlan(groupID: groupID, level: level, period: period, billingPlans: billingPlans)
    }

    private mutating func billingPlans(_ object: DocumentObject, period: Period?) -> [BillingPlan] {
        var plans: [BillingPlan] = []
        for entry in reader.objects(object, "billingPlans", atMost: CatalogLimits.billingPlans) {
            guard let kind = reader.choice(entry, "kind", of: OfferRules.billingPlanKinds) else { continue }
            let isMonthly = kind == .monthly
            reader.onlyKeys(
                entry,
                ["kind", "price", "currency", "prices", "enabled"] + (isMonthly ? ["commitment"] : [])
            )
            let prices = priceList(entry)
            var commitment: PriceList?
            if isMonthly, let whole = reader.object(entry, "commitment") {
                reader.onlyKeys(whole, ["price", "currency", "prices"])
                commitment = priceList(whole)
            }
            let isEnabled = reader.flag(entry, "enabled", default: true)
            OfferRules.check(kind, path: entry.path("kind"), after: plans, period: period, reader: &reader)
            guard let prices else { continue }
            plans.append(
                BillingPlan(
                    kind: kind,
                    prices: prices,
                    commitmentPrices: isMonthly ? commitment ?? OfferRules.commitment(of: prices) : nil,
                    isEnabled: isEnabled
                )
            )
        }
        return plans
    }

    /// Reads the offers of a product. Subscriptions can have all kinds of offers; other products only one-time codes.
    mutating func offers(_ object: DocumentObject, type: ProductKind, period: Period?) -> [Offer] {
        var found: [(offer: Offer, path: String)] = []
        for entry in reader.objects(object, "offers", atMost: CatalogLimits.offers * OfferType.allCases.count) {
            if let offer = offer(entry, isSubscription: type == .autoRenewable, period: period) {
                found.append((offer, entry.path))
            }
        }
        OfferRules.checkUniqueness(found, reader: &reader)
        return found.map(\.offer)
    }

    private mutating func offer(_ object: DocumentObject, isSubscription: Bool, period: Period?) -> Offer? {
        guard
            let kind = reader.choice(object, "kind", of: isSubscription ? OfferNames.kinds : OfferNames.codeOnly),
            let mode = reader.choice(object, "mode", of: isSubscription ? OfferNames.modes : OfferNames.oneTimeOnly)
        else { return nil }
        reader.onlyKeys(object, keys(kind, mode), why: " of an offer of this kind and mode")
        let id = offerID(object, kind: kind)
        let referenceName = reader.text(object, "referenceName")
        let plan =
            isSubscription
            ? reader.choice(object, "billingPlan", of: OfferRules.billingPlanKinds, isRequired: false) : nil
        let prices = mode == .freeTrial ? nil : priceList(object)
        var length: (period: Period, count: Int)?
        if mode != .oneTime {
            length = OfferRules.length(
                of: object,
                mode: mode,
                base: plan == .monthly ? Period(1, .month) : period,
                keys: OfferRules.Keys(period: "period", count: "periodCount"),
                reader: &reader
            )
        }
        let audience = kind == .code ? self.audience(object) : []
        let limit = kind == .code ? reader.integer(object, "redemptionLimit", in: CatalogLimits.redemptions) : nil
        let isStackable = kind == .code && reader.flag(object, "stackable")
        let winBack = kind == .winBack ? self.winBack(object) : nil
        guard
            kind == .introductory || id != nil, mode == .freeTrial || prices != nil, mode == .oneTime || length != nil
        else { return nil }
        return Offer(
            kind: kind,
            id: id,
            referenceName: referenceName,
            mode: mode,
            period: length?.period,
            periodCount: length?.count ?? 1,
            prices: prices,
            audience: audience,
            redemptionLimit: limit,
            isStackable: isStackable,
            winBack: winBack,
            billingPlan: plan == .monthly ? .monthly : nil
        )
    }

    /// The permitted keys of an offer. A key that would have no effect is a fault, so that it is not ignored.
    private func keys(_ kind: OfferType, _ mode: OfferDiscountType) -> [String] {
        var keys = ["kind", "mode"]
        if kind != .introductory { keys += ["id", "referenceName"] }
        if mode != .freeTrial { keys += ["price", "currency", "prices"] }
        if mode != .oneTime { keys += ["period", "periodCount", "billingPlan"] }
        if kind == .code { keys += ["audience", "redemptionLimit"] }
        if kind == .code, mode != .oneTime { keys += ["stackable"] }
        if kind == .winBack { keys += ["winBack"] }
        return keys
    }

    private mutating func offerID(_ object: DocumentObject, kind: OfferType) -> String? {
        switch kind {
        case .introductory: return nil
        case .promotional, .winBack: return reader.identifier(object, "id")
        // The reference name of a code is its default id.
        case .code: return reader.identifier(object, object["id"] == nil ? "referenceName" : "id")
        }
    }

    private mutating func audience(_ object: DocumentObject) -> Set<CodeAudience> {
        let entries = reader.elements(object, "audience", atMost: CodeAudience.allCases.count)
        return Set(entries.compactMap { reader.choice($0, of: OfferNames.audiences) })
    }

    private mutating func winBack(_ object: DocumentObject) -> WinBackCriteria {
        var criteria = WinBackCriteria()
        guard let entry = reader.object(object, "winBack") else { return criteria }
        reader.onlyKeys(entry, ["minimumPaidMonths", "monthsSinceExpiry", "monthsBetweenOffers"])
        criteria.minimumPaidMonths = reader.integer(entry, "minimumPaidMonths", in: 1...60) ?? 1
        criteria.monthsBetweenOffers = reader.integer(entry, "monthsBetweenOffers", in: 2...24) ?? 2
        guard let value = entry["monthsSinceExpiry"] else { return criteria }
        let path = entry.path("monthsSinceExpiry")
        let bounds = reader.elements(entry, "monthsSinceExpiry", atMost: 2).map { bound in
            reader.integer(bound, in: 1...24, expected: "a whole number from 1 to 24")
        }
        if bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last {
            criteria.monthsSinceExpiry = first...last
        } else if case .array(let elements) = value, elements.count <= 2, !bounds.contains(nil) {
            reader.fault(path, expected: "the minimum and maximum of months, such as [1, 24]", found: value.summary)
        }
        return criteria
    }
}
