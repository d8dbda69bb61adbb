/// The customers who may redeem an offer code, by their history in the subscription group.
package enum CodeAudience: String, Codable, CaseIterable, Sendable {
    case new
    case existing
    case expired
}

/// The conditions under which a former subscriber may redeem a win-back offer (docs/api/offers.md).
package struct WinBackCriteria: Codable, Equatable, Sendable {
    /// The minimum number of paid months.
    package var minimumPaidMonths: Int
    /// The permitted number of months since the subscription expired.
    package var monthsSinceExpiry: ClosedRange<Int>
    /// The minimum number of months between two win-back offers for the same customer.
    package var monthsBetweenOffers: Int

    /// Criteria. The defaults are the least strict ones possible.
    package init(
        minimumPaidMonths: Int = 1,
        monthsSinceExpiry: ClosedRange<Int> = 1...24,
        monthsBetweenOffers: Int = 2
    ) {
        self.minimumPaidMonths = minimumPaidMonths
        self.monthsSinceExpiry = monthsSinceExpiry
        self.monthsBetweenOffers = monthsBetweenOffers
    }
}

/// An offer of a product in the catalog.
package struct Offer: Codable, Equatable, Sendable {
    /// `offerType` in the payload. It determines who may redeem the offer (docs/api/offers.md).
    package var kind: OfferType
    /// `offerIdentifier`; nil for introductory offers, and only for them.
    package var id: String?
    /// The name that the developer sees; nil if the catalog has none.
    package var referenceName: String?
    /// `offerDiscountType` in the payload.
    package var mode: OfferDiscountType
    /// The length of one period of the offer; nil for `ONE_TIME`.
    package var period: Period?
    /// The number of periods. Only a pay-as-you-go offer can have more than 1.
    package var periodCount: Int
    /// The price of one payment; nil for a free offer.
    package var prices: PriceList?
    /// The customers who may redeem an offer code; empty for all customers. Other offers do not use it.
    package var audience: Set<CodeAudience>
    /// The maximum number of redemptions of an offer code by all customers together; nil for no limit.
    package var redemptionLimit: Int?
    /// Whether an offer code applies after the introductory offer instead of replacing it.
    package var isStackable: Bool
    /// The criteria of a win-back offer; nil for other offers.
    package var winBack: WinBackCriteria?
    /// The billing plan that the offer belongs to; nil for billed upfront.
    package var billingPlan: BillingPlanType?

    /// An offer of any kind.
    package init(
        kind: OfferType,
        id: String? = nil,
        referenceName: String? = nil,
        mode: OfferDiscountType,
        period: Period? = nil,
        periodCount: Int = 1,
        prices: PriceList? = nil,
        audience: Set<CodeAudience> = [],
        redemptionLimit: Int? = nil,
        isStackable: Bool = false,
        winBack: WinBackCriteria? = nil,
        billingPlan: BillingPlanType? = nil
    ) {
        self.kind = kind
        self.id = id
        self.referenceName = referenceName
        self.mode = mode
        self.period = period
        self.periodCount = periodCount
        self.prices = prices
        self.audience = audience
        self.redemptionLimit = redemptionLimit
        self.isStackable = isStackable
        self.winBack = winBack
        self.billingPlan = billingPlan
    }

    /// The length of all periods of the offer together; `offerPeriod` in the payload.
    package var wholePeriod: Period? { period?.times(periodCount) }
}

/// An offer that is part of a transaction or of renewal info.
package struct AppliedOffer: Codable, Equatable, Sendable {
    /// `offerType` in the payload, 1 to 4.
    package var kind: OfferType
    /// `offerIdentifier`; nil for introductory offers.
    package var id: String?
    /// `offerDiscountType` in the payload.
    package var mode: OfferDiscountType
    /// The length of all periods of the offer together.
    package var wholePeriod: Period?

    /// The values of a catalog offer that the ledger stores.
    package init(_ offer: Offer) {
        kind = offer.kind
        id = offer.kind == .introductory ? nil : offer.id
        mode = offer.mode
        wholePeriod = offer.wholePeriod
    }

    /// An offer that was read from the ledger.
    package init(kind: OfferType, id: String?, mode: OfferDiscountType, wholePeriod: Period?) {
        self.kind = kind
        self.id = id
        self.mode = mode
        self.wholePeriod = wholePeriod
    }
}

/// An offer that will apply to the next renewal.
package struct PendingOffer: Codable, Equatable, Sendable {
    /// The offer at the time of its redemption. A later import of the catalog does not change it.
    package var offer: Offer
    /// The number of remaining periods; 1 for a free or pay-up-front offer.
    package var remainingPeriods: Int

    /// An offer with the given number of remaining periods.
    package init(offer: Offer, remainingPeriods: Int) {
        self.offer = offer
        self.remainingPeriods = remainingPeriods
    }

    /// An offer without a used period.
    package init(_ offer: Offer) {
        self.init(offer: offer, remainingPeriods: offer.mode == .payAsYouGo ? offer.periodCount : 1)
    }

    /// The offer after one more period; nil if no period remains.
    var afterOnePeriod: PendingOffer? {
        remainingPeriods > 1 ? PendingOffer(offer: offer, remainingPeriods: remainingPeriods - 1) : nil
    }

    /// Whether at least one period has used the offer.
    var hasBegun: Bool { offer.mode == .payAsYouGo && remainingPeriods < offer.periodCount }
}
