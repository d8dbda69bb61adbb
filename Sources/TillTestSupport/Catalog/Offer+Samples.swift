import TillCore

extension Offer {
    /// An introductory free week.
    package static let freeWeek = Offer(kind: .introductory, mode: .freeTrial, period: .week)

    /// A free trial.
    package static func free(_ kind: OfferKind, _ id: String? = nil, for period: Period = .month) -> Offer {
        Offer(kind: kind, id: id, mode: .freeTrial, period: period)
    }

    /// One payment for a whole period.
    package static func payUpFront(
        _ kind: OfferKind,
        _ id: String? = nil,
        for period: Period,
        at price: Int64,
        isStackable: Bool = false
    ) -> Offer {
        Offer(kind: kind, id: id, mode: .payUpFront, period: period, prices: .usd(price), isStackable: isStackable)
    }

    /// A lower price for some months.
    package static func payAsYouGo(_ kind: OfferKind, _ id: String? = nil, times count: Int, at price: Int64) -> Offer {
        Offer(kind: kind, id: id, mode: .payAsYouGo, period: .month, periodCount: count, prices: .usd(price))
    }

    /// The same offer with a change.
    package func with(_ change: (inout Offer) -> Void) -> Offer {
        var offer = self
        change(&offer)
        return offer
    }
}
