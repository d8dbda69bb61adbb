/// The four kinds of offer, by their number on the wire (`offerType`).
package enum OfferKind: Int, Codable, CaseIterable, Sendable {
    case introductory = 1
    case promotional = 2
    case code = 3
    case winBack = 4

    /// The kind in words.
    package var words: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .code: "code"
        case .winBack: "win-back"
        }
    }
}

/// How an offer is paid (`offerDiscountType`).
package enum OfferMode: String, Codable, CaseIterable, Sendable {
    case freeTrial = "FREE_TRIAL"
    case payAsYouGo = "PAY_AS_YOU_GO"
    case payUpFront = "PAY_UP_FRONT"
    /// Only for one-time products, by code.
    case oneTime = "ONE_TIME"
}

/// Who may redeem a code, judged in the subscription group.
package enum CodeAudience: String, Codable, CaseIterable, Sendable {
    case new
    case existing
    case expired
}

/// When a former subscriber may redeem a win-back offer (docs/api/offers.md).
package struct WinBackCriteria: Codable, Equatable, Sendable {
    /// The minimum of paid months.
    package var minimumPaidMonths: Int
    /// The range of months since the subscription ended.
    package var monthsSinceExpiry: ClosedRange<Int>
    /// The minimum of months between two win-back offers of one customer.
    package var monthsBetweenOffers: Int

    /// Criteria; the defaults are the least strict possible.
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

/// An offer in the catalog.
package struct Offer: Codable, Equatable, Sendable {
    /// `offerType` on the wire; decides who may redeem the offer (docs/api/offers.md).
    package var kind: OfferKind
    /// `offerIdentifier`; nil for introductory offers only.
    package var id: String?
    /// The name that the developer sees; nil where the catalog has none.
    package var referenceName: String?
    /// `offerDiscountType` on the wire.
    package var mode: OfferMode
    /// One period of the offer; nil for `ONE_TIME`.
    package var period: Period?
    /// How many periods; more than 1 only for pay as you go.
    package var periodCount: Int
    /// The price of one payment; nil when free.
    package var prices: PriceList?
    /// Only for codes; empty means all customers.
    package var audience: Set<CodeAudience>
    /// Only for codes: the maximum number of redemptions in all; nil means no limit.
    package var redemptionLimit: Int?
    /// Only for codes: whether the introductory offer comes first.
    package var isStackable: Bool
    /// Only for win-back offers.
    package var winBack: WinBackCriteria?
    /// The billing plan of the offer; nil means up front.
    package var billingPlan: BillingPlan.Kind?

    /// An offer of any kind.
    package init(
        kind: OfferKind,
        id: String? = nil,
        referenceName: String? = nil,
        mode: OfferMode,
        period: Period? = nil,
        periodCount: Int = 1,
        prices: PriceList? = nil,
        audience: Set<CodeAudience> = [],
        redemptionLimit: Int? = nil,
        isStackable: Bool = false,
        winBack: WinBackCriteria? = nil,
        billingPlan: BillingPlan.Kind? = nil
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

    /// The length of the whole offer, `offerPeriod` on the wire.
    package var wholePeriod: Period? { period?.times(periodCount) }
}

/// An offer in a transaction or in renewal info.
package struct AppliedOffer: Codable, Equatable, Sendable {
    /// `offerType` on the wire, 1 to 4.
    package var kind: OfferKind
    /// Nil for introductory offers.
    package var id: String?
    /// `offerDiscountType` on the wire.
    package var mode: OfferMode
    /// The length of the whole offer.
    package var wholePeriod: Period?

    /// The ledger's form of an offer of the catalog.
    package init(_ offer: Offer) {
        kind = offer.kind
        id = offer.kind == .introductory ? nil : offer.id
        mode = offer.mode
        wholePeriod = offer.wholePeriod
    }

    /// An offer as stored in the ledger.
    package init(kind: OfferKind, id: String?, mode: OfferMode, wholePeriod: Period?) {
        self.kind = kind
        self.id = id
        self.mode = mode
        self.wholePeriod = wholePeriod
    }
}

/// An offer that the next renewal will carry.
package struct PendingOffer: Codable, Equatable, Sendable {
    /// The offer as it was when it was redeemed; a later import does not change it.
    package var offer: Offer
    /// How many periods of it are left; 1 for free and pay up front.
    package var remainingPeriods: Int

    /// An offer for the next periods.
    package init(offer: Offer, remainingPeriods: Int) {
        self.offer = offer
        self.remainingPeriods = remainingPeriods
    }

    /// An offer with all its periods left.
    package init(_ offer: Offer) {
        self.init(offer: offer, remainingPeriods: offer.mode == .payAsYouGo ? offer.periodCount : 1)
    }

    /// What is left after one more period; nil when nothing is.
    var afterOnePeriod: PendingOffer? {
        remainingPeriods > 1 ? PendingOffer(offer: offer, remainingPeriods: remainingPeriods - 1) : nil
    }

    /// Whether at least one period has used it.
    var hasBegun: Bool { offer.mode == .payAsYouGo && remainingPeriods < offer.periodCount }
}
