/// Who may redeem an offer (docs/api/offers.md). Purchases and lists of the available offers use the same rules.
extension Account {
    /// Why the customer may not redeem an offer of a product at the instant `now`; nil if the customer may.
    ///
    /// The store counts the redemptions of an offer code against its limit, so this check does not include the limit.
    package func refusal(
        toRedeem choice: OfferChoice,
        of product: Product,
        at now: Timestamp,
        policy: Policy
    ) -> Refusal? {
        do throws(Refusal) {
            _ = try offers(choice, of: product, at: now, policy: policy)
            return nil
        } catch {
            return error
        }
    }

    /// The offers that a purchase redeems, in the order in which they apply. A purchase usually redeems one offer or
    /// none.
    func offers(
        _ choice: OfferChoice,
        of product: Product,
        at now: Timestamp,
        policy: Policy
    ) throws(Refusal) -> [PendingOffer] {
        guard let group = product.plan?.groupID else { return try oneTimeOffers(choice, product) }
        let held = subscription(toGroup: group)
        let isActive = held?.status == .active
        // A customer in a grace period still has service, and only a customer without service may use the introductory
        // offer.
        let isServed = isActive || held?.status == .gracePeriod
        let introductory = product.offer(.introductory)
        let mayIntroduce = !isServed && !introductoryOffersUsed.contains(group)
        switch choice {
        case .none:
            return []
        case .automatic:
            guard mayIntroduce, let introductory else { return [] }
            return [PendingOffer(introductory)]
        case .introductory(let evenIfUsed):
            guard let introductory else { throw .unknownOffer(product: product.id, kind: .introductory, id: nil) }
            if isServed { throw .offerNeedsNoSubscription(kind: .introductory) }
            guard mayIntroduce || evenIfUsed else { throw .introductoryOfferUsed(group: group) }
            return [PendingOffer(introductory)]
        case .promotional(let id):
            guard let offer = product.offer(.promotional, id: id) else {
                throw .unknownOffer(product: product.id, kind: .promotional, id: id)
            }
            if held == nil { throw .offerNeedsEarlierSubscription(kind: .promotional) }
            return [PendingOffer(offer)]
        case .code(let id):
            let audience: CodeAudience = held == nil ? .new : isActive ? .existing : .expired
            let offer = try codeOffer(id, product, as: audience)
            guard offer.isStackable, mayIntroduce, let introductory else { return [PendingOffer(offer)] }
            return [PendingOffer(introductory), PendingOffer(offer)]
        case .winBack(let id):
            return [PendingOffer(try winBackOffer(id, product, held, at: now, policy))]
        }
    }

    /// The offer of a one-time product, which has offer codes only.
    private func oneTimeOffers(_ choice: OfferChoice, _ product: Product) throws(Refusal) -> [PendingOffer] {
        switch choice {
        case .automatic, .none: return []
        case .introductory: throw .unknownOffer(product: product.id, kind: .introductory, id: nil)
        case .promotional(let id): throw .unknownOffer(product: product.id, kind: .promotional, id: id)
        case .winBack(let id): throw .unknownOffer(product: product.id, kind: .winBack, id: id)
        case .code(let id):
            return [PendingOffer(offer: try codeOffer(id, product, as: nil), remainingPeriods: 1)]
        }
    }

    private func winBackOffer(
        _ id: String,
        _ product: Product,
        _ held: Subscription?,
        at now: Timestamp,
        _ policy: Policy
    ) throws(Refusal) -> Offer {
        guard let offer = product.offer(.winBack, id: id) else {
            throw .unknownOffer(product: product.id, kind: .winBack, id: id)
        }
        guard let held else { throw .offerNeedsEarlierSubscription(kind: .winBack) }
        if held.status == .active { throw .offerNeedsNoSubscription(kind: .winBack) }
        guard policy.allows(winBack: offer, for: held, of: self, at: now) else { throw .winBackNotYet(offer: id) }
        return offer
    }

    /// The offer of a code, if the customer belongs to its audience and has not redeemed it before.
    private func codeOffer(_ id: String, _ product: Product, as audience: CodeAudience?) throws(Refusal) -> Offer {
        guard let offer = product.offer(.code, id: id) else {
            throw .unknownOffer(product: product.id, kind: .code, id: id)
        }
        if let audience, !offer.audience.isEmpty, !offer.audience.contains(audience) {
            throw .codeNotForAudience(offer: id, audience: offer.audience, customerIs: audience)
        }
        if codesRedeemed.contains(Self.redemption(of: id, product.id)) { throw .codeAlreadyRedeemed(offer: id) }
        return offer
    }

    /// The element of `codesRedeemed` for an offer code of a product.
    static func redemption(of offer: String, _ product: String) -> String { "\(product)/\(offer)" }
}
