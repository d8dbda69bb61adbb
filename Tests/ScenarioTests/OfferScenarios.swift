import Testing
import TillCore

extension Scenarios {
    @Suite("Offers")
    struct Offers {
        @Test("Paid as you go, up front, or free: an introductory offer and what follows it", arguments: StageKind.all)
        func introductory(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [
                    .plan("go", group: "1", offers: .payAsYouGo(.introductory, times: 3, at: 990)),
                    .plan("front", group: "2", offers: .payUpFront(.introductory, for: Period(2, .month), at: 1_990)),
                    .plan("free", group: "3", offers: .free(.introductory, for: Period(3, .day))),
                ]
            )
            for product in ["go", "front", "free"] { try await shop.buys("ann", product) }
            try await shop.advance(to: "2026-04-01 10:00")
            try await shop.expect("")
        }

        @Test("A promotional offer waits on an active subscription, and starts with a lapsed one", arguments: StageKind.all)
        func promotional(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(offers: .payAsYouGo(.promotional, "stay", times: 2, at: 990))]
            )
            try await shop.refuses("offer_needs_earlier_subscription") {
                try await shop.buys("ann", "pro", offer: .promotional("stay"))
            }
            for customer in ["ann", "bob"] { try await shop.buys(customer, "pro") }
            try await shop.cancels("bob")
            try await shop.advance(to: "2026-01-10")
            try await shop.buys("ann", "pro", offer: .promotional("stay"))
            try await shop.advance(to: "2026-02-10")
            try await shop.buys("bob", "pro", offer: .promotional("stay"))
            try await shop.advance(to: "2026-04-15")
            try await shop.expect("")
        }

        @Test("Of two offers that wait the second counts", arguments: StageKind.all)
        func replaced(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [
                    .plan(
                        offers: .payUpFront(.promotional, "one", for: .month, at: 990),
                        .payUpFront(.promotional, "two", for: .month, at: 490)
                    )
                ]
            )
            try await shop.buys("ann", "pro")
            try await shop.buys("ann", "pro", offer: .promotional("one"))
            try await shop.buys("ann", "pro", offer: .promotional("two"))
            try await shop.advance(to: "2026-03-02")
            try await shop.expect("")
        }

        @Test("Turning renewal off drops an offer that has not begun", arguments: StageKind.all)
        func dropped(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(offers: .payUpFront(.promotional, "one", for: .month, at: 990))]
            )
            try await shop.buys("ann", "pro")
            try await shop.buys("ann", "pro", offer: .promotional("one"))
            try await shop.cancels("ann")
            try await shop.resumes("ann")
            try await shop.advance(to: "2026-02-02")
            try await shop.expect("")
        }

        @Test("An offer accepted by who had cancelled turns renewal on again", arguments: StageKind.all)
        func resumedByOffer(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(offers: .payUpFront(.promotional, "one", for: .month, at: 990))]
            )
            try await shop.buys("ann", "pro")
            try await shop.cancels("ann")
            try await shop.buys("ann", "pro", offer: .promotional("one"))
            try await shop.advance(to: "2026-02-02")
            try await shop.expect("")
        }

        @Test("A code for the new, the present and the lapsed", arguments: StageKind.all)
        func codes(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(offers: .free(.code, "SPRING"))]
            )
            try await shop.buys("ann", "pro", offer: .code("SPRING"))
            try await shop.buys("bob", "pro")
            try await shop.buys("cat", "pro")
            try await shop.cancels("cat")
            try await shop.advance(to: "2026-01-20")
            try await shop.buys("bob", "pro", offer: .code("SPRING"))
            try await shop.refuses("code_already_redeemed") { try await shop.buys("bob", "pro", offer: .code("SPRING")) }
            try await shop.advance(to: "2026-02-10")
            try await shop.buys("cat", "pro", offer: .code("SPRING"))
            try await shop.advance(to: "2026-03-12")
            try await shop.expect("")
        }

        @Test("A stackable code comes after the introductory offer, another takes its place", arguments: StageKind.all)
        func stacked(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [
                    .plan(
                        offers: .freeWeek,
                        .payUpFront(.code, "MORE", for: .month, at: 990, isStackable: true),
                        .payUpFront(.code, "ONLY", for: .month, at: 490)
                    )
                ]
            )
            try await shop.buys("ann", "pro", offer: .code("MORE"))
            try await shop.buys("bob", "pro", offer: .code("ONLY"))
            try await shop.advance(to: "2026-03-10")
            try await shop.expect("")
        }

        @Test("A win-back offer is for who left, in Production a month after and for who had paid", arguments: StageKind.all)
        func winBack(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-10",
                in: .production,
                selling: [.plan(offers: .payUpFront(.winBack, "back", for: .month, at: 990))]
            )
            try await shop.buys("ann", "pro")
            try await shop.refuses("offer_needs_no_subscription") {
                try await shop.buys("ann", "pro", offer: .winBack("back"))
            }
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-02-15")
            try await shop.refuses("win_back_not_yet") { try await shop.buys("ann", "pro", offer: .winBack("back")) }
            try await shop.advance(to: "2026-03-15")
            #expect(try await shop.own("ann").renewalInfo.eligibleWinBackOfferIds == ["back"])
            try await shop.buys("ann", "pro", offer: .winBack("back"))
            try await shop.advance(to: "2026-04-20")
            try await shop.expect("")
        }

        @Test("An upgrade by a code begins at once with the offer", arguments: StageKind.all)
        func upgradeByCode(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [
                    .plan("low", level: 2, at: 1_990), .plan("top", offers: .payAsYouGo(.code, "UP", times: 2, at: 990)),
                ]
            )
            try await shop.buys("ann", "low")
            try await shop.advance(to: "2026-01-10")
            try await shop.changesPlan("ann", to: "top", offer: .code("UP"))
            try await shop.advance(to: "2026-03-11")
            try await shop.expect("")
        }

        @Test("Buying again within sixty days goes on with the run; after them a new one begins", arguments: StageKind.all)
        func resubscription(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(), .plan("low", level: 2, at: 1_990)]
            )
            for customer in ["ann", "bob"] {
                try await shop.buys(customer, "pro")
                try await shop.cancels(customer)
            }
            try await shop.advance(to: "2026-02-15")
            try await shop.buys("ann", "low")
            try await shop.advance(to: "2026-06-01")
            try await shop.buys("bob", "low")
            try await shop.advance(to: "2026-06-10")
            try await shop.expect("")
        }

        @Test("A code makes a one-time product cheaper, and Ask to Buy and an interruption only wait", arguments: StageKind.all)
        func oneTime(at stage: StageKind) async throws {
            var coins = Product.coins
            coins.offers = [Offer(kind: .code, id: "HALF", mode: .oneTime, prices: .usd(490))]
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [coins, .skin(), .season, .plan()]
            )
            try await shop.buys("ann", "coins", quantity: 2, offer: .code("HALF"))
            try await shop.buys("ann", "season")
            try await shop.buys("ann", "skin", isInterrupted: true)
            try await shop.asksToBuy("bob")
            try await shop.buys("bob", "pro")
            try await shop.buys("bob", "coins")
            try await shop.advance(to: "2026-01-05")
            try await shop.approves("ann")
            try await shop.refuses("already_owned") { try await shop.buys("ann", "skin") }
            try await shop.approves("bob", 1)
            try await shop.declines("bob", 2)
            try await shop.refuses("unknown_held_purchase") { try await shop.approves("bob", 2) }
            try await shop.advance(to: "2026-01-10")
            try await shop.expect("")
        }
    }
}
