import TillCore
import TillShop
import TillTestSupport

/// The lives that prove each fact of the closed list.
extension HiddenFact {
    /// Two lives of ann that differ in this fact only.
    var lives: HiddenLives {
        switch self {
        case .card, .storefront, .askToBuy, .heldPurchases, .lastEvent, .finished, .finishedRefund, .orders:
            customerLives
        case .redeemedCodes, .nonces, .winBackDate, .remainingPeriods, .secondOffer, .displacedOffer: offerLives
        case .anchorDay, .extensions, .extensionRequests, .missedCharge: periodLives
        case .endOfRetries, .pastGrace, .leftInGrace, .reversal, .refundRequests: paymentLives
        case .scheduledIncrease, .increaseOfOtherPlan, .priceOfIncrease, .dateOfIncrease, .consentToIncrease,
            .agreedPrice, .earlierIncrease:
            priceLives
        case .purchaser, .members, .sharing: familyLives
        case .settings, .otherProducts, .catalog: appLives
        }
    }

    // MARK: The customer

    private var customerLives: HiddenLives {
        switch self {
        case .card:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
            } second: {
                try await $0.buy("pro", by: "ann")
            } future: {
                try await $0.advance(to: "2026-02-02")
            }
        case .storefront:
            HiddenLives {
                try await $0.open("ann", in: "DEU")
                try await $0.buy("coins", by: "ann")
            } second: {
                try await $0.buy("coins", by: "ann", in: Storefront(code: "DEU"))
            } future: {
                try await $0.buy("coins", by: "ann")
            }
        case .askToBuy:
            HiddenLives {
                try await $0.buy("skin", by: "ann")
                try await $0.setAskToBuy(true, for: "ann")
            } second: {
                try await $0.buy("skin", by: "ann")
            } future: {
                try await $0.buy("coins", by: "ann")
            }
        case .heldPurchases:
            HiddenLives {
                try await $0.buy("skin", by: "ann")
                try await $0.buy("coins", by: "ann", isInterrupted: true)
            } second: {
                try await $0.buy("skin", by: "ann")
            } future: { shop in
                try await shop.attempt { try await shop.approvePurchase(of: "ann") }
            }
        case .finishedRefund:
            HiddenLives {
                try await $0.run(.purchase(Purchase(productID: "coins", isFinished: true)))
                try await $0.grantRefund(to: "ann")
            } second: {
                try await $0.buy("coins", by: "ann")
                try await $0.grantRefund(to: "ann")
            } future: {
                try await $0.reverseRefund(to: "ann")
            }
        case .orders:
            HiddenLives(environment: .production, extra: .orders) { shop in
                let coins = try await shop.buy("coins", by: "ann")
                try await shop.run(.purchase(Purchase(productID: "skin", order: coins?.order)))
            } second: {
                try await $0.buy("coins", by: "ann")
                try await $0.buy("skin", by: "ann")
            } future: { _ in
            }
        default: changeLives
        }
    }

    /// The time of a change is hidden, and so is a finished flag, because a transaction is finished only once. A notice
    /// of a price increase that was not sent in time is not sent after a later change. Here, the renewal rate moves the
    /// time of the notice from one minute before the renewal to 5 January.
    private var changeLives: HiddenLives {
        let isAboutFlag = self == .finished
        return HiddenLives { shop in
            try await Self.scheduleIncrease(in: shop, isFinished: isAboutFlag)
            guard !isAboutFlag else { return }
            try await shop.declineCard(of: "ann")
            try await shop.acceptCard(of: "ann")
        } second: {
            try await Self.scheduleIncrease(in: $0, isFinished: false)
        } future: { shop in
            if isAboutFlag { try await shop.run(.finish(try await shop.latest().id)) }
            try await shop.change { $0.rate = .calendar }
        }
    }

    private static func scheduleIncrease(in shop: ShopBackend, isFinished: Bool) async throws {
        try await shop.run(.purchase(Purchase(productID: "pro", isFinished: isFinished)))
        try await shop.advance(to: "2026-01-02")
        try await shop.change { $0.rate = .sandbox5Minutes }
        try await shop.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
        try await shop.advance(to: "2026-01-10")
    }

    // MARK: Offers

    /// A plan with an offer of each kind.
    private static let offered: [Product] = [
        .plan(
            at: 4_990,
            offers: .payAsYouGo(.introductory, times: 2, at: 990),
            .payAsYouGo(.promotional, "stay", times: 3, at: 1_990),
            .free(.promotional, "gift"),
            .free(.code, "SPRING").with { $0.isStackable = true },
            .free(.winBack, "back").with {
                $0.winBack = WinBackCriteria(minimumPaidMonths: 1, monthsSinceExpiry: 0...24, monthsBetweenOffers: 2)
            }
        ), .plan("basic", level: 2, at: 1_990),
    ]

    private var offerLives: HiddenLives {
        switch self {
        case .redeemedCodes:
            HiddenLives(products: Self.offered) {
                try await $0.buy("pro", by: "ann", offer: .none)
                try await $0.buy("pro", by: "ann", offer: .code("SPRING"))
                try await $0.cancelRenewal(of: "ann")
            } second: {
                try await $0.buy("pro", by: "ann", offer: .none)
                try await $0.cancelRenewal(of: "ann")
            } future: { shop in
                try await shop.attempt { try await shop.buy("pro", by: "ann", offer: .code("SPRING")) }
            }
        case .nonces:
            HiddenLives(products: Self.offered) {
                try await Self.redeemGift(in: $0, nonce: "first")
            } second: {
                try await Self.redeemGift(in: $0, nonce: nil)
            } future: { shop in
                try await shop.advance(to: "2026-03-10")
                try await shop.attempt {
                    let gift = Purchase(productID: "pro", offer: .promotional("gift"), offerNonce: "first")
                    try await shop.run(.purchase(gift))
                }
            }
        case .winBackDate:
            HiddenLives(environment: .production, products: Self.offered) {
                try await Self.winBack(in: $0, milliseconds: 417)
            } second: {
                try await Self.winBack(in: $0, milliseconds: 0)
            } future: {
                // Exactly two months of 28 days after the second life redeemed the offer.
                try await $0.advance(to: "2026-04-26")
            }
        case .remainingPeriods:
            HiddenLives(products: Self.offered) {
                try await Self.redeemStay(in: $0)
                try await $0.buy("pro", by: "ann", offer: .promotional("stay"))
            } second: {
                try await Self.redeemStay(in: $0)
            } future: {
                try await $0.advance(to: "2026-06-10")
            }
        case .secondOffer:
            HiddenLives(products: Self.offered) {
                try await $0.buy("pro", by: "ann", offer: .code("SPRING"))
            } second: {
                try await $0.buy("pro", by: "ann")
            } future: {
                try await $0.advance(to: "2026-03-10")
            }
        default:
            HiddenLives(products: Self.offered) {
                try await $0.buy("pro", by: "ann", offer: .none)
                try await $0.buy("pro", by: "ann", offer: .promotional("stay"))
                try await $0.changePlan(of: "ann", to: "basic", offer: .none)
            } second: {
                try await $0.buy("pro", by: "ann", offer: .none)
                try await $0.changePlan(of: "ann", to: "basic", offer: .none)
            } future: {
                try await $0.buy("pro", by: "ann", offer: .none)
            }
        }
    }

    private static func redeemGift(in shop: ShopBackend, nonce: String?) async throws {
        try await shop.buy("pro", by: "ann", offer: .none)
        let gift = Purchase(productID: "pro", offer: .promotional("gift"), offerNonce: nonce)
        try await shop.run(.purchase(gift))
    }

    private static func redeemStay(in shop: ShopBackend) async throws {
        try await shop.buy("pro", by: "ann", offer: .none)
        try await shop.buy("pro", by: "ann", offer: .promotional("stay"))
        try await shop.advance(to: "2026-02-10")
    }

    private static func winBack(in shop: ShopBackend, milliseconds: Int64) async throws {
        try await shop.buy("pro", by: "ann", offer: .none)
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: Timestamp(day: "2026-03-01").advanced(milliseconds: milliseconds))
        try await shop.buy("pro", by: "ann", offer: .winBack("back"))
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-03-02")
    }
}
