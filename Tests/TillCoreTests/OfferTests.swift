import Testing
import TillCore
import TillTestSupport

@Suite("Offers and eligibility")
struct OfferTests {
    @Test("A free trial has its own length, costs nothing and is available once per subscription group")
    func trial() throws {
        var shop = CoreShop(
            on: "2026-01-01",
            selling: [
                .plan(offers: .freeWeek), .plan("max", offers: .freeWeek),
            ]
        )
        let row = try shop.buy("pro", by: "ann")
        #expect(row.expiresDate == Timestamp(day: "2026-01-08"))
        #expect(row.price == Money(milliunits: 0, currency: "USD"))
        #expect(row.offer?.kind == .introductory && row.offer?.mode == .freeTrial && row.offer?.id == nil)
        #expect(try shop.renewalInfo("ann").renewalPrice?.milliunits == 4_990)
        #expect(try shop.renewalInfo("ann").offer == nil)
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-02-01")
        let again = try shop.buy("max", by: "ann")
        #expect(again.offer == nil)
        #expect(again.price?.milliunits == 4_990)
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-04-01")
        #expect(throws: Refusal.introductoryOfferUsed(group: "20450880")) {
            try shop.buy("max", by: "ann", offer: .introductory(evenIfUsed: false))
        }
        #expect(try shop.buy("max", by: "ann", offer: .introductory(evenIfUsed: true)).offer?.kind == .introductory)
    }

    @Test("With pay as you go, the first period has the product's length, and renewals follow at the offer price")
    func payAsYouGo() throws {
        let offer = Offer.payAsYouGo(.introductory, times: 3, at: 990)
        var shop = CoreShop(on: "2026-01-01", selling: [.plan(offers: offer)])
        let row = try shop.buy("pro", by: "ann")
        #expect(row.expiresDate == Timestamp(day: "2026-02-01"))
        #expect(row.price?.milliunits == 990)
        #expect(row.offer?.wholePeriod?.iso8601 == "P3M")
        #expect(shop.subscription("ann")?.pendingOffers.first?.remainingPeriods == 2)
        let info = try shop.renewalInfo("ann")
        #expect(info.offer == row.offer)
        #expect(info.renewalPrice?.milliunits == 990)
    }

    @Test("A pay-up-front offer covers the complete offer period with one payment")
    func payUpFront() throws {
        let offer = Offer.payUpFront(.introductory, for: Period(6, .month), at: 9_990)
        var shop = CoreShop(on: "2026-01-01", selling: [.plan(offers: offer)])
        let row = try shop.buy("pro", by: "ann")
        #expect(row.expiresDate == Timestamp(day: "2026-07-01T11:00:00Z"))
        #expect(row.price?.milliunits == 9_990)
        #expect(try shop.buy("pro", by: "bob", offer: .none).offer == nil)
    }

    @Test("Current and former subscribers can use a promotional offer; for an active subscription it is pending")
    func promotional() throws {
        let stay = Offer.payUpFront(.promotional, "stay", for: Period(2, .month), at: 2_990)
        var shop = CoreShop(on: "2026-01-01", selling: [.plan(offers: stay)])
        #expect(throws: Refusal.offerNeedsEarlierSubscription(kind: .promotional)) {
            try shop.buy("pro", by: "ann", offer: .promotional("stay"))
        }
        #expect(throws: Refusal.unknownOffer(product: "pro", kind: .promotional, id: "go")) {
            try shop.buy("pro", by: "ann", offer: .promotional("go"))
        }
        let first = try shop.buy("pro", by: "ann")
        let same = try shop.buy("pro", by: "ann", offer: .promotional("stay"))
        #expect(same == first)
        let info = try shop.renewalInfo("ann")
        #expect(info.offer?.id == "stay")
        #expect(info.renewalPrice?.milliunits == 2_990)
        #expect(shop.events.last == .offerRedeemed(first.id))
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-03-01")
        let lapsed = try shop.buy("pro", by: "ann", offer: .promotional("stay"))
        #expect(lapsed.offer?.id == "stay")
        #expect(lapsed.expiresDate == Timestamp(day: "2026-05-01T11:00:00Z"))
    }

    @Test("An eligible customer can use a code once, until its redemption limit is reached")
    func codes() throws {
        let spring = Offer.free(.code, "SPRING").with {
            $0.audience = [.new, .expired]
            $0.redemptionLimit = 5
        }
        var shop = CoreShop(on: "2026-01-01", selling: [.plan(offers: spring)])
        let ledger = try shop.perform(.purchase(Purchase(productID: "pro", offer: .code("SPRING"))), by: "ann")
        #expect(ledger.redemptions.map(\.limit) == [5])
        #expect(ledger.transactionChanges.last?.after.offer?.kind == .code)
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-03-01")
        #expect(throws: Refusal.codeAlreadyRedeemed(offer: "SPRING")) {
            try shop.buy("pro", by: "ann", offer: .code("SPRING"))
        }
        try shop.buy("pro", by: "bob")
        #expect(
            throws: Refusal.codeNotForAudience(offer: "SPRING", audience: [.new, .expired], customerIs: .existing)
        ) { try shop.buy("pro", by: "bob", offer: .code("SPRING")) }
        try shop.cancelRenewal(of: "bob")
        shop.advance(to: "2026-05-01")
        #expect(try shop.buy("pro", by: "bob", offer: .code("SPRING")).offer?.id == "SPRING")
    }

    @Test("A stackable code applies after the introductory offer")
    func stackable() throws {
        let code = Offer.payUpFront(.code, "MORE", for: Period(3, .month), at: 5_990, isStackable: true)
        var shop = CoreShop(selling: [.plan(offers: .freeWeek, code)])
        let row = try shop.buy("pro", by: "ann", offer: .code("MORE"))
        #expect(row.offer?.kind == .introductory)
        #expect(try shop.renewalInfo("ann").offer?.id == "MORE")
        #expect(try shop.renewalInfo("ann").renewalPrice?.milliunits == 5_990)
    }

    @Test("A code lowers the price of a one-time product")
    func oneTimeCode() throws {
        let half = Offer(kind: .code, id: "HALF", mode: .oneTime, prices: .usd(490))
        var shop = CoreShop(selling: [.coins.with { $0.offers = [half] }])
        let row = try shop.buy("coins", by: "ann", quantity: 2, offer: .code("HALF"))
        #expect(row.price?.milliunits == 980)
        #expect(row.offer?.mode == .oneTime && row.offer?.wholePeriod == nil)
    }

    @Test("Lapsed customers can use win-back offers; in production only if they meet the offer's criteria")
    func winBack() throws {
        let back = Offer.payUpFront(.winBack, "back", for: .month, at: 990)
        for environment in StoreEnvironment.allCases {
            var shop = CoreShop(on: "2026-01-01", in: environment, selling: [.plan(offers: back)])
            #expect(throws: Refusal.offerNeedsEarlierSubscription(kind: .winBack)) {
                try shop.buy("pro", by: "ann", offer: .winBack("back"))
            }
            let first = try shop.buy("pro", by: "ann")
            #expect(throws: Refusal.offerNeedsNoSubscription(kind: .winBack)) {
                try shop.buy("pro", by: "ann", offer: .winBack("back"))
            }
            #expect(try shop.renewalInfo("ann").winBackOffers.isEmpty)
            try shop.cancelRenewal(of: "ann")
            shop.advance(to: "2026-02-02")
            if environment == .production {
                #expect(throws: Refusal.winBackNotYet(offer: "back")) {
                    try shop.buy("pro", by: "ann", offer: .winBack("back"))
                }
                #expect(try shop.renewalInfo("ann").winBackOffers.isEmpty)
            }
            shop.advance(to: "2026-03-15")
            #expect(try shop.renewalInfo("ann").winBackOffers == ["back"])
            let row = try shop.buy("pro", by: "ann", offer: .winBack("back"))
            #expect(row.offer?.kind == .winBack && row.originalID == first.id)
            try shop.cancelRenewal(of: "ann")
            shop.advance(to: "2026-05-20")
            if environment == .production {
                // The customer's win-back offers must be two months apart, and they are.
                #expect(try shop.buy("pro", by: "ann", offer: .winBack("back")).offer?.id == "back")
            }
        }
    }

    @Test("A promotional offer's signature is valid for one purchase")
    func nonces() throws {
        let stay = Offer.payUpFront(.promotional, "stay", for: .month, at: 1_990)
        var shop = CoreShop(on: "2026-01-01", selling: [.plan(offers: stay)])
        try shop.buy("pro", by: "ann")
        let purchase = Purchase(productID: "pro", offer: .promotional("stay"), offerNonce: "n-1")
        try shop.perform(.purchase(purchase), by: "ann")
        #expect(throws: Refusal.offerSignatureUsed(nonce: "n-1")) { try shop.perform(.purchase(purchase), by: "ann") }
    }

    @Test("A one-time product has no offers except codes")
    func wrongKinds() {
        var shop = CoreShop(selling: [.coins])
        #expect(throws: Refusal.unknownOffer(product: "coins", kind: .introductory, id: nil)) {
            try shop.buy("coins", by: "ann", offer: .introductory(evenIfUsed: false))
        }
        #expect(throws: Refusal.unknownOffer(product: "coins", kind: .winBack, id: "x")) {
            try shop.buy("coins", by: "ann", offer: .winBack("x"))
        }
    }

    @Test("An offer is refused to a list of offers exactly as it is refused to a purchase")
    func refusals() throws {
        let offers = [
            Offer.freeWeek, .payUpFront(.promotional, "stay", for: .month, at: 1_990),
            .payUpFront(.winBack, "back", for: .month, at: 990),
            .payUpFront(.code, "NEW", for: .month, at: 990).with { $0.audience = [.new] },
            .payUpFront(.code, "ANY", for: .month, at: 990),
        ]
        var pro = Product.plan()
        pro.offers = offers
        var coins = Product.coins
        coins.offers = [Offer(kind: .code, id: "HALF", mode: .oneTime, prices: .usd(490))]
        let choices: [OfferChoice] = [
            .automatic, .none, .introductory(evenIfUsed: false), .introductory(evenIfUsed: true), .promotional("stay"),
            .promotional("go"), .winBack("back"), .code("NEW"), .code("ANY"), .code("HALF"),
        ]
        var shop = CoreShop(on: "2026-01-01", in: .production, selling: [pro, coins])
        var kinds: Set<String> = []
        func compare(_ situation: String) throws {
            let account = try #require(shop.accounts["ann"])
            for product in [pro, coins] {
                for choice in choices {
                    var tried = shop
                    var refusal: Refusal?
                    do { try tried.buy(product.id, by: "ann", offer: choice) } catch { refusal = error }
                    // Without an offer, a purchase of the current plan is refused for another reason.
                    if case .alreadySubscribed? = refusal { refusal = nil }
                    let shown = account.refusal(toRedeem: choice, of: product, at: shop.now, policy: shop.policy)
                    #expect(shown == refusal, "\(situation): \(product.id) with \(choice)")
                    kinds.insert("\(situation) \(shown == nil)")
                }
            }
        }
        try shop.buy("coins", by: "ann", offer: .code("HALF"))
        try compare("new")
        try shop.buy("pro", by: "ann", offer: .none)
        try compare("subscribed")
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-02-05")
        try compare("lapsed")
        shop.advance(to: "2026-05-01")
        try compare("lapsed long ago")
        #expect(kinds.count == 8, "each situation has available and refused offers: \(kinds.sorted())")
    }
}
