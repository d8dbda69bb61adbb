import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("Subscription offers")
    struct Offers {}
}

extension Scenarios.Offers {
    @Test(
        "A subscription continues at the list price after a free, pay-up-front or pay-as-you-go introductory offer",
        arguments: BackendKind.all
    )
    func introductory(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("go", group: "1", offers: .payAsYouGo(.introductory, times: 3, at: 990)),
                .plan("front", group: "2", offers: .payUpFront(.introductory, for: Period(2, .month), at: 1_990)),
                .plan("free", group: "3", offers: .free(.introductory, for: Period(3, .day))),
            ]
        )
        for product in ["go", "front", "free"] { try await shop.buy(product, by: "ann") }
        try await shop.advance(to: "2026-04-01 10:00")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  go, paid until 2026-02-01 at 0.99 by intro, again
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  front, paid until 2026-03-01 at 1.99 by intro
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  free, trial until 2026-01-04
            2026-01-04  DID_RENEW               status 1  free, paid until 2026-02-04
            2026-02-01  DID_RENEW               status 1  go, paid until 2026-03-01 at 0.99 by intro, again
            2026-02-04  DID_RENEW               status 1  free, paid until 2026-03-04
            2026-03-01  DID_RENEW               status 1  go, paid until 2026-04-01 at 0.99 by intro
            2026-03-01  DID_RENEW               status 1  front, paid until 2026-04-01
            2026-03-04  DID_RENEW               status 1  free, paid until 2026-04-04
            """
        )
    }

    @Test(
        "A promotional offer is pending for an active subscriber, and begins at once for a lapsed one",
        arguments: BackendKind.all
    )
    func promotional(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .payAsYouGo(.promotional, "yes", times: 2, at: 990))]
        )
        try await shop.expectRefusal("offer_needs_earlier_subscription") {
            try await shop.buy("pro", by: "ann", offer: .promotional("yes"))
        }
        for customer in ["ann", "bob"] { try await shop.buy("pro", by: customer) }
        try await shop.cancelRenewal(of: "bob")
        try await shop.advance(to: "2026-01-10")
        try await shop.buy("pro", by: "ann", offer: .promotional("yes"))
        try await shop.advance(to: "2026-02-10")
        try await shop.buy("pro", by: "bob", offer: .promotional("yes"))
        try await shop.advance(to: "2026-04-15")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-10  ann  OFFER_REDEEMED                  status 1  next 0.99 by promo yes
            2026-02-01  ann  DID_RENEW                       status 1  paid until 2026-03-01 at 0.99 by promo yes, again
            2026-02-01  bob  EXPIRED VOLUNTARY               status 2
            2026-02-10  bob  SUBSCRIBED RESUBSCRIBE          status 1  paid until 2026-03-10 at 0.99 by promo yes, again
            2026-03-01  ann  DID_RENEW                       status 1  paid until 2026-04-01 at 0.99 by promo yes
            2026-03-10  bob  DID_RENEW                       status 1  paid until 2026-04-10 at 0.99 by promo yes
            2026-04-01  ann  DID_RENEW                       status 1  paid until 2026-05-01
            2026-04-10  bob  DID_RENEW                       status 1  paid until 2026-05-10
            """
        )
    }

    @Test("A second accepted offer replaces a pending offer", arguments: BackendKind.all)
    func replaced(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan(
                    offers: .payUpFront(.promotional, "one", for: .month, at: 990),
                    .payUpFront(.promotional, "two", for: .month, at: 490)
                )
            ]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.buy("pro", by: "ann", offer: .promotional("one"))
        try await shop.buy("pro", by: "ann", offer: .promotional("two"))
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-01-01  OFFER_REDEEMED          status 1  next 0.99 by promo one
            2026-01-01  OFFER_REDEEMED          status 1  next 0.49 by promo two
            2026-02-01  DID_RENEW               status 1  paid until 2026-03-01 at 0.49 by promo two
            2026-03-01  DID_RENEW               status 1  paid until 2026-04-01
            """
        )
    }

    @Test("A customer who turns off auto-renew loses the pending offer", arguments: BackendKind.all)
    func dropped(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .payUpFront(.promotional, "one", for: .month, at: 990))]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.buy("pro", by: "ann", offer: .promotional("one"))
        try await shop.cancelRenewal(of: "ann")
        try await shop.resumeRenewal(of: "ann")
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  OFFER_REDEEMED                  status 1  next 0.99 by promo one
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1
            2026-02-01  DID_RENEW                       status 1  paid until 2026-03-01
            """
        )
    }

    @Test("A customer who had turned off auto-renew turns it on by accepting an offer", arguments: BackendKind.all)
    func resumedByOffer(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .payUpFront(.promotional, "one", for: .month, at: 990))]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.cancelRenewal(of: "ann")
        try await shop.buy("pro", by: "ann", offer: .promotional("one"))
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01  OFFER_REDEEMED                  status 1  next 0.99 by promo one
            2026-02-01  DID_RENEW                       status 1  paid until 2026-03-01 at 0.99 by promo one
            """
        )
    }

    @Test("New, current and lapsed subscribers can redeem an offer code", arguments: BackendKind.all)
    func codes(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .free(.code, "SPRING"))]
        )
        try await shop.buy("pro", by: "ann", offer: .code("SPRING"))
        try await shop.buy("pro", by: "bob")
        try await shop.buy("pro", by: "cat")
        try await shop.cancelRenewal(of: "cat")
        try await shop.advance(to: "2026-01-20")
        try await shop.buy("pro", by: "bob", offer: .code("SPRING"))
        try await shop.expectRefusal("code_already_redeemed") {
            try await shop.buy("pro", by: "bob", offer: .code("SPRING"))
        }
        try await shop.advance(to: "2026-02-10")
        try await shop.buy("pro", by: "cat", offer: .code("SPRING"))
        try await shop.advance(to: "2026-03-12")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  trial until 2026-02-01 by code SPRING
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  cat  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-20  bob  OFFER_REDEEMED                  status 1  next free by code SPRING
            2026-02-01  ann  DID_RENEW                       status 1  paid until 2026-03-01
            2026-02-01  bob  DID_RENEW                       status 1  trial until 2026-03-01 by code SPRING
            2026-02-01  cat  EXPIRED VOLUNTARY               status 2
            2026-02-10  cat  SUBSCRIBED RESUBSCRIBE          status 1  trial until 2026-03-10 by code SPRING
            2026-03-01  ann  DID_RENEW                       status 1  paid until 2026-04-01
            2026-03-01  bob  DID_RENEW                       status 1  paid until 2026-04-01
            2026-03-10  cat  DID_RENEW                       status 1  paid until 2026-04-10
            """
        )
    }

    @Test(
        "A stackable code applies after the introductory offer; any other code replaces the introductory offer",
        arguments: BackendKind.all
    )
    func stacked(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan(
                    offers: .freeWeek,
                    .payUpFront(.code, "MORE", for: .month, at: 990, isStackable: true),
                    .payUpFront(.code, "ONLY", for: .month, at: 490)
                )
            ]
        )
        try await shop.buy("pro", by: "ann", offer: .code("MORE"))
        try await shop.buy("pro", by: "bob", offer: .code("ONLY"))
        try await shop.advance(to: "2026-03-10")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY  status 1  trial until 2026-01-08, next 0.99 by code MORE
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01 at 0.49 by code ONLY
            2026-01-08  ann  DID_RENEW               status 1  paid until 2026-02-08 at 0.99 by code MORE
            2026-02-01  bob  DID_RENEW               status 1  paid until 2026-03-01
            2026-02-08  ann  DID_RENEW               status 1  paid until 2026-03-08
            2026-03-01  bob  DID_RENEW               status 1  paid until 2026-04-01
            2026-03-08  ann  DID_RENEW               status 1  paid until 2026-04-08
            """
        )
    }

    @Test(
        "A lapsed customer who has paid can redeem a win-back offer; in production, only a month later",
        arguments: BackendKind.all
    )
    func winBack(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-10",
            in: .production,
            selling: [.plan(offers: .payUpFront(.winBack, "back", for: .month, at: 990))]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.expectRefusal("offer_needs_no_subscription") {
            try await shop.buy("pro", by: "ann", offer: .winBack("back"))
        }
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-02-15")
        try await shop.expectRefusal("win_back_not_yet") {
            try await shop.buy("pro", by: "ann", offer: .winBack("back"))
        }
        try await shop.advance(to: "2026-03-15")
        #expect(try await shop.own("ann").renewalInfo.eligibleWinBackOfferIds == ["back"])
        try await shop.buy("pro", by: "ann", offer: .winBack("back"))
        try await shop.advance(to: "2026-04-20")
        try await shop.expectNotifications(
            """
            2026-01-10  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-10
            2026-01-10  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-10  EXPIRED VOLUNTARY               status 2
            2026-03-15  SUBSCRIBED RESUBSCRIBE          status 1  paid until 2026-04-15 at 0.99 by win-back back
            2026-04-14  DID_RENEW                       status 1  paid 2026-04-15 to 2026-05-15
            """
        )
    }

    @Test("An upgrade with an offer code begins at once, at the offer price", arguments: BackendKind.all)
    func upgradeByCode(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("low", level: 2, at: 1_990), .plan("top", offers: .payAsYouGo(.code, "UP", times: 2, at: 990)),
            ]
        )
        try await shop.buy("low", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "top", offer: .code("UP"))
        try await shop.advance(to: "2026-03-11")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  low, paid until 2026-02-01
            2026-01-10  OFFER_REDEEMED UPGRADE  status 1  top, paid until 2026-02-10 at 0.99 by code UP, again
            2026-02-10  DID_RENEW               status 1  top, paid until 2026-03-10 at 0.99 by code UP
            2026-03-10  DID_RENEW               status 1  top, paid until 2026-04-10
            """
        )
    }

    @Test(
        "A return within sixty days keeps recentSubscriptionStartDate; a later return changes it",
        arguments: BackendKind.all
    )
    func resubscription(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(), .plan("low", level: 2, at: 1_990)]
        )
        for customer in ["ann", "bob"] {
            try await shop.buy("pro", by: customer)
            try await shop.cancelRenewal(of: customer)
        }
        try await shop.advance(to: "2026-02-15")
        try await shop.buy("low", by: "ann")
        try await shop.advance(to: "2026-06-01")
        try await shop.buy("low", by: "bob")
        try await shop.advance(to: "2026-06-10")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  pro, paid until 2026-02-01
            2026-01-01  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  pro
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  pro, paid until 2026-02-01
            2026-01-01  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  pro
            2026-02-01  ann  EXPIRED VOLUNTARY               status 2  pro
            2026-02-01  bob  EXPIRED VOLUNTARY               status 2  pro
            2026-02-15  ann  SUBSCRIBED RESUBSCRIBE          status 1  low, paid until 2026-03-15
            2026-03-15  ann  DID_RENEW                       status 1  low, paid until 2026-04-15
            2026-04-15  ann  DID_RENEW                       status 1  low, paid until 2026-05-15
            2026-05-15  ann  DID_RENEW                       status 1  low, paid until 2026-06-15
            2026-06-01  bob  SUBSCRIBED RESUBSCRIBE          status 1  low, paid until 2026-07-01, since 2026-06-01
            """
        )
    }

    @Test(
        "An offer code lowers the price of a one-time product; Ask to Buy and an interruption only delay a purchase",
        arguments: BackendKind.all
    )
    func oneTime(at backend: BackendKind) async throws {
        var coins = Product.coins
        coins.offers = [Offer(kind: .code, id: "HALF", mode: .oneTime, prices: .usd(490))]
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [coins, .skin, .season, .plan()]
        )
        try await shop.buy("coins", by: "ann", quantity: 2, offer: .code("HALF"))
        try await shop.buy("season", by: "ann")
        try await shop.buy("skin", by: "ann", isInterrupted: true)
        try await shop.setAskToBuy(true, for: "bob")
        try await shop.buy("pro", by: "bob")
        try await shop.buy("coins", by: "bob")
        try await shop.advance(to: "2026-01-05")
        try await shop.approvePurchase(of: "ann")
        // Ann gets a product that she already owns for free, and no notification is sent.
        try await shop.buy("skin", by: "ann")
        try await shop.approvePurchase(of: "bob", 1)
        try await shop.declinePurchase(of: "bob", 2)
        try await shop.expectRefusal("unknown_held_purchase") { try await shop.approvePurchase(of: "bob", 2) }
        try await shop.advance(to: "2026-01-10")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  ONE_TIME_CHARGE                   coins, 2 pieces at 0.98 by code HALF
            2026-01-01  ann  ONE_TIME_CHARGE                   season
            2026-01-05  ann  ONE_TIME_CHARGE                   skin
            2026-01-05  bob  SUBSCRIBED INITIAL_BUY  status 1  pro, paid until 2026-02-05
            """
        )
    }
}
