import TillCore

extension Offer {
    /// An introductory offer with a free week.
    package static let freeWeek = Offer(kind: .introductory, mode: .freeTrial, period: .week)

    /// A free trial of this length.
    package static func free(_ kind: OfferType, _ id: String? = nil, for period: Period = .month) -> Offer {
        Offer(kind: kind, id: id, mode: .freeTrial, period: period)
    }

    /// A single payment in advance for the complete offer period.
    package static func payUpFront(
        _ kind: OfferType,
        _ id: String? = nil,
        for period: Period,
        at price: Int64,
        isStackable: Bool = false
    ) -> Offer {
        Offer(kind: kind, id: id, mode: .payUpFront, period: period, prices: .usd(price), isStackable: isStackable)
    }

    /// A lower price for a number of months.
    package static func payAsYouGo(_ kind: OfferType, _ id: String? = nil, times count: Int, at price: Int64) -> Offer {
        Offer(kind: kind, id: id, mode: .payAsYouGo, period: .month, periodCount: count, prices: .usd(price))
    }

    /// A copy of the offer with a change.
    package func with(_ change: (inout Offer) -> Void) -> Offer {
        var offer = self
        change(&offer)
        return offer
    }
}
