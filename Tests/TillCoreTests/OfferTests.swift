import Testing
import TillCore

@Suite("Offers and eligibility")
struct OfferTests {
    @Test("T2: a free trial has its own length, costs nothing and is available once per group")
    func trial() throws {
        var shop = CoreShop(
            on: "2026-01-01",
            selling: [
                TestProducts.plan(offers: [TestProducts.trial]), TestProducts.plan("max", offers: [TestProducts.trial]),
            ]
        )
        let row = try shop.buys("ann", "pro")
        #expect(row.expiresDate == Timestamp(day: "2026-01-08"))
        #expect(row.price == Money(milliunits: 0, currency: "USD"))
        #expect(row.offer?.kind == .introductory && row.offer?.mode == .freeTrial && row.offer?.id == nil)
        #expect(try shop.renewalInfo("ann").renewalPrice?.milliunits == 4_990)
        #expect(try shop.renewalInfo("ann").offer == nil)
        try shop.cancels("ann")
        shop.advance(to: "2026-02-01")
        let again = try shop.buys("ann", "max")
        #expect(again.offer == nil)
        #expect(again.price?.milliunits == 4_990)
        try shop.cancels("ann")
        shop.advance(to: "2026-04-01")
        #expect(throws: Refusal.introductoryOfferUsed(group: "20450880")) {
            try shop.buys("ann", "max", offer: .introductory(evenIfUsed: false))
        }
        #expect(try shop.buys("ann", "max", offer: .introductory(evenIfUsed: true)).offer?.kind == .introductory)
    }

    @Test("T3: with pay as you go, the first period has the product's length and the rest is pending")
    func payAsYouGo() throws {
        let offer = TestProducts.offer(.introductory, nil, .payAsYouGo, Period(1, .month), count: 3, price: 990)
        var shop = CoreShop(on: "2026-01-01", selling: [TestProducts.plan(offers: [offer])])
        let row = try shop.buys("ann", "pro")
        #expect(row.expiresDate == Timestamp(day: "2026-02-01"))
        #expect(row.price?.milliunits == 990)
        #expect(row.offer?.wholePeriod?.iso8601 == "P3M")
        #expect(shop.subscription("ann")?.pendingOffers.first?.remainingPeriods == 2)
        let info = try shop.renewalInfo("ann")
        #expect(info.offer == row.offer)
        #expect(info.renewalPrice?.milliunits == 990)
    }

    @Test("Pay up front covers the complete offer at once")
    func payUpFront() throws {
        let offer = TestProducts.offer(.introductory, nil, .payUpFront, Period(6, .month), price: 9_990)
        var shop = CoreShop(on: "2026-01-01", selling: [TestProducts.plan(offers: [offer])])
        let row = try shop.buys("ann", "pro")
        #expect(row.expiresDate == Timestamp(day: "2026-07-01T11:00:00Z"))
        #expect(row.price?.milliunits == 9_990)
        #expect(try shop.buys("bob", "pro", offer: .none).offer == nil)
    }

    @Test("A promotional offer is for current and former subscribers; on an active subscription it is pending (T13)")
    func promotional() throws {
        let stay = TestProducts.offer(.promotional, "stay", .payUpFront, Period(2, .month), price: 2_990)
        var shop = CoreShop(on: "2026-01-01", selling: [TestProducts.plan(offers: [stay])])
        #expect(throws: Refusal.offerNeedsEarlierSubscription(kind: .promotional)) {
            try shop.buys("ann", "pro", offer: .promotional("stay"))
        }
        #expect(throws: Refusal.unknownOffer(product: "pro", kind: .promotional, id: "go")) {
            try shop.buys("ann", "pro", offer: .promotional("go"))
        }
        let first = try shop.buys("ann", "pro")
        let same = try shop.buys("ann", "pro", offer: .promotional("stay"))
        #expect(same == first)
        let info = try shop.renewalInfo("ann")
        #expect(info.offer?.id == "stay")
        #expect(info.renewalPrice?.milliunits == 2_990)
        #expect(shop.events.last == .offerRedeemed(first.id))
        try shop.cancels("ann")
        shop.advance(to: "2026-03-01")
        let lapsed = try shop.buys("ann", "pro", offer: .promotional("stay"))
        #expect(lapsed.offer?.id == "stay")
        #expect(lapsed.expiresDate == Timestamp(day: "2026-05-01T11:00:00Z"))
    }

    @Test("A code can be used once per customer, by eligible customers, and within its limit")
    func codes() throws {
        let spring = TestProducts.offer(.code, "SPRING", .freeTrial, price: nil, audience: [.new, .expired], limit: 5)
        var shop = CoreShop(on: "2026-01-01", selling: [TestProducts.plan(offers: [spring])])
        let ledger = try shop.act("ann", .purchase(Purchase(productID: "pro", offer: .code("SPRING"))))
        #expect(ledger.redemptions.map(\.limit) == [5])
        #expect(ledger.transactionChanges.last?.after.offer?.kind == .code)
        try shop.cancels("ann")
        shop.advance(to: "2026-03-01")
        #expect(throws: Refusal.codeAlreadyRedeemed(offer: "SPRING")) {
            try shop.buys("ann", "pro", offer: .code("SPRING"))
        }
        try shop.buys("bob", "pro")
        #expect(
            throws: Refusal.codeNotForAudience(offer: "SPRING", audience: [.new, .expired], customerIs: .existing)
        ) { try shop.buys("bob", "pro", offer: .code("SPRING")) }
        try shop.cancels("bob")
        shop.advance(to: "2026-05-01")
        #expect(try shop.buys("bob", "pro", offer: .code("SPRING")).offer?.id == "SPRING")
    }

    @Test("A stackable code applies after the introductory offer")
    func stackable() throws {
        let code = TestProducts.offer(.code, "MORE", .payUpFront, Period(3, .month), price: 5_990, stackable: true)
        var shop = CoreShop(selling: [TestProducts.plan(offers: [TestProducts.trial, code])])
        let row = try shop.buys("ann", "pro", offer: .code("MORE"))
        #expect(row.offer?.kind == .introductory)
        #expect(try shop.renewalInfo("ann").offer?.id == "MORE")
        #expect(try shop.renewalInfo("ann").renewalPrice?.milliunits == 5_990)
    }

    @Test("A code makes a one-time product cheaper")
    func oneTimeCode() throws {
        let half = Offer(kind: .code, id: "HALF", mode: .oneTime, prices: TestProducts.usd(490))
        var shop = CoreShop(selling: [TestProducts.coins(offers: [half])])
        let row = try shop.buys("ann", "coins", quantity: 2, offer: .code("HALF"))
        #expect(row.price?.milliunits == 980)
        #expect(row.offer?.mode == .oneTime && row.offer?.wholePeriod == nil)
    }

    @Test("Win-back offers are for lapsed customers: all in the sandbox, by the criteria in production")
    func winBack() throws {
        let back = TestProducts.offer(.winBack, "back", .payUpFront, price: 990)
        for environment in StoreEnvironment.allCases {
            var shop = CoreShop(on: "2026-01-01", in: environment, selling: [TestProducts.plan(offers: [back])])
            #expect(throws: Refusal.offerNeedsEarlierSubscription(kind: .winBack)) {
                try shop.buys("ann", "pro", offer: .winBack("back"))
            }
            let first = try shop.buys("ann", "pro")
            #expect(throws: Refusal.offerNeedsNoSubscription(kind: .winBack)) {
                try shop.buys("ann", "pro", offer: .winBack("back"))
            }
            #expect(try shop.renewalInfo("ann").winBackOffers.isEmpty)
            try shop.cancels("ann")
            shop.advance(to: "2026-02-02")
            if environment == .production {
                #expect(throws: Refusal.winBackNotYet(offer: "back")) {
                    try shop.buys("ann", "pro", offer: .winBack("back"))
                }
                #expect(try shop.renewalInfo("ann").winBackOffers.isEmpty)
            }
            shop.advance(to: "2026-03-15")
            #expect(try shop.renewalInfo("ann").winBackOffers == ["back"])
            let row = try shop.buys("ann", "pro", offer: .winBack("back"))
            #expect(row.offer?.kind == .winBack && row.originalID == first.id)
            try shop.cancels("ann")
            shop.advance(to: "2026-05-20")
            if environment == .production {
                // There must be two months between two such offers, and there are.
                #expect(try shop.buys("ann", "pro", offer: .winBack("back")).offer?.id == "back")
            }
        }
    }

    @Test("A signature is valid for one purchase")
    func nonces() throws {
        let stay = TestProducts.offer(.promotional, "stay")
        var shop = CoreShop(on: "2026-01-01", selling: [TestProducts.plan(offers: [stay])])
        try shop.buys("ann", "pro")
        let purchase = Purchase(productID: "pro", offer: .promotional("stay"), offerNonce: "n-1")
        try shop.act("ann", .purchase(purchase))
        #expect(throws: Refusal.offerSignatureUsed(nonce: "n-1")) { try shop.act("ann", .purchase(purchase)) }
    }

    @Test("One-time products have no offers except codes")
    func wrongKinds() {
        var shop = CoreShop(selling: [TestProducts.coins()])
        #expect(throws: Refusal.unknownOffer(product: "coins", kind: .introductory, id: nil)) {
            try shop.buys("ann", "coins", offer: .introductory(evenIfUsed: false))
        }
        #expect(throws: Refusal.unknownOffer(product: "coins", kind: .winBack, id: "x")) {
            try shop.buys("ann", "coins", offer: .winBack("x"))
        }
    }
}
