import TillControl
import TillShop

/// What the customers of the fixtures do. Each story has customers of its own, on a clock of their own.
extension FixtureShop {
    /// All stories. Products that are removed from sale return to sale.
    mutating func playAll(_ isPlayed: (Int) -> Void) async throws {
        _ = try await client.send(UpdateSettings(app: app, refundRule: .byHand))
        let stories: [(inout FixtureShop) async throws -> Void] = [
            { try await $0.playOneTimePurchases() }, { try await $0.playRefunds() }, { try await $0.playTrial() },
            { try await $0.playIntroductoryOffers() }, { try await $0.playOffers() }, { try await $0.playPlans() },
            { try await $0.playGracePeriod() }, { try await $0.playBillingRetry() },
            { try await $0.playPriceIncrease() }, { try await $0.playRemovedProduct() },
            { try await $0.playRefundedSubscriptions() }, { try await $0.playFamily() },
            { try await $0.playCommitment() }, { try await $0.playExtensions() },
        ]
        for (index, story) in stories.enumerated() {
            try await story(&self)
            isPlayed(index + 1)
        }
    }

    // MARK: One-time purchases

    private mutating func playOneTimePurchases() async throws {
        try await create("olga")
        var request = request(FixtureCatalog.coins, by: "olga")
        request.quantity = 3
        request.appAccountToken = "7e3fb204-6ba7-4b02-9d2f-0b1c5c2a3d4e"
        let coins = try await buy(request)
        try await addTransaction("consumable", coins, "A purchase of three consumables with an app account token.")
        let ticket = try await buy(FixtureCatalog.tickets, by: "olga", OfferToApply(kind: .code, id: "GIFT"))
        try await addTransaction("consumable.offer-code", ticket, "A purchase of a consumable with an offer code.")
        let season = try await buy(FixtureCatalog.season, by: "olga")
        try await addTransaction("non-renewing", season, "A purchase of a non-renewing subscription.")
        let forever = try await buy(FixtureCatalog.forever, by: "olga")
        try await addTransaction("non-consumable", forever, "A purchase of a non-consumable.")
        try await create("jiro")
        request.customer = "jiro"
        request.storefront = .init(code: "JPN")
        let inJapan = try await buy(request)
        try await addTransaction("consumable.japan", inJapan, "A purchase of consumables in the storefront of Japan.")
    }

    private mutating func playRefunds() async throws {
        try await create("rosa")
        let full = try await buy(FixtureCatalog.coins, by: "rosa")
        let part = try await buy(FixtureCatalog.coins, by: "rosa")
        let kept = try await buy(FixtureCatalog.forever, by: "rosa")
        _ = try await client.send(RequestRefund(app: app, transactionId: full))
        try await advance("rosa", days: 1)
        try await refund(full)
        try await addTransaction("consumable.refunded-in-full", full, "A consumable whose price was refunded in full.")
        try await refund(part, .part, percentage: 50_000)
        try await addTransaction("consumable.refunded-in-part", part, "A consumable that was refunded in half.")
        try await refund(kept)
        try await addTransaction("non-consumable.refunded", kept, "A non-consumable whose price was refunded in full.")
        _ = try await client.send(ReverseRefund(app: app, transactionId: full))
        try await addTransaction("consumable.refund-reversed", full, "A consumable whose refund was reversed.")
        let disputed = try await buy(FixtureCatalog.coins, by: "rosa")
        _ = try await client.send(RequestRefund(app: app, transactionId: disputed, reason: .fulfillmentIssue))
        _ = try await client.send(DeclineRefund(app: app, transactionId: disputed))
        try await addTransaction("consumable.refund-declined", disputed, "A consumable whose refund was declined.")
        try await create("cleo")
        for reason in ConsumptionRequestReason.allCases {
            let coins = try await buy(FixtureCatalog.coins, by: "cleo")
            _ = try await client.send(RequestRefund(app: app, transactionId: coins, reason: reason))
        }
    }

    // MARK: Introductory offers and cancellation

    private mutating func playTrial() async throws {
        try await create("tess")
        let trial = try await buy(FixtureCatalog.basic, by: "tess")
        try await addTransaction("subscription.free-trial", trial, "A subscription in its free trial.")
        try await addRenewalInfo("active", trial, "A subscription that renews.")
        try await advance("tess", days: 8)
        let renewal = try await latest(of: trial)
        try await addTransaction("subscription.renewal", renewal, "The first renewal of a subscription.")
        try await cancel(trial)
        try await addRenewalInfo("will-not-renew", trial, "A subscription whose auto-renew is off.")
        _ = try await client.send(ResumeSubscription(app: app, originalTransactionId: trial))
        try await cancel(trial)
        try await advance("tess", days: 32)
        try await addTransaction("subscription.expired", renewal, "The last period of an expired subscription.")
        try await addRenewalInfo(
            "expired.voluntary",
            trial,
            "A subscription that expired because the customer turned auto-renew off (expiration intent 1)."
        )
        try await advance("tess", days: 90)
        let back = try await buy(FixtureCatalog.basic, by: "tess", OfferToApply(kind: .winBack, id: "return"))
        try await addTransaction("subscription.win-back-offer", back, "A subscription with a win-back offer.")
    }

    private mutating func playIntroductoryOffers() async throws {
        try await create("iris")
        let extra = try await buy(FixtureCatalog.extra, by: "iris")
        try await addTransaction(
            "subscription.introductory-pay-as-you-go",
            extra,
            "A subscription with an introductory offer that is paid as you go."
        )
        let upFront = try await buy(FixtureCatalog.upFront, by: "iris")
        try await addTransaction(
            "subscription.introductory-pay-up-front",
            upFront,
            "A subscription with an introductory offer that is paid up front."
        )
    }

    // MARK: Offers and plans

    private mutating func playOffers() async throws {
        try await create("otto")
        let code = try await buy(FixtureCatalog.basic, by: "otto", OfferToApply(kind: .code, id: "SPRING"))
        try await addTransaction("subscription.offer-code", code, "A subscription with an offer code.")
        let none = OfferToApply(kind: .none)
        for (customer, offer, mode) in [
            ("paul", "stay", "pay-as-you-go"), ("peg", "half", "pay-up-front"), ("petra", "month", "free"),
        ] {
            try await create(customer)
            let first = try await buy(FixtureCatalog.basic, by: customer, none)
            try await cancel(first)
            try await advance(customer, days: 32)
            let granted = try promotional(offer, of: FixtureCatalog.basic)
            let again = try await buy(FixtureCatalog.basic, by: customer, granted)
            try await addTransaction(
                "subscription.promotional-\(mode)",
                again,
                "A subscription that began again with a promotional offer (\(mode))."
            )
        }
        try await create("olaf")
        let current = try await buy(FixtureCatalog.basic, by: "olaf", none)
        try await change(current, to: FixtureCatalog.basic, OfferToApply(kind: .code, id: "STAYING"))
        try await addRenewalInfo("offer-at-renewal", current, "A subscription that renews with an offer code.")
        let upgraded = try await change(
            current,
            to: FixtureCatalog.pro,
            try promotional("upgrade", of: FixtureCatalog.pro)
        )
        try await addTransaction("subscription.upgrade-with-offer", upgraded, "An upgrade with a promotional offer.")
        try await change(current, to: FixtureCatalog.basic, try promotional("month", of: FixtureCatalog.basic))
        try await addRenewalInfo(
            "downgrade-with-offer",
            current,
            "A subscription that will renew downgraded, with an offer."
        )
    }

    private mutating func playPlans() async throws {
        try await create("uma")
        let first = try await buy(FixtureCatalog.basic, by: "uma", OfferToApply(kind: .none))
        try await addTransaction("subscription", first, "The first period of a subscription, at the standard price.")
        try await advance("uma", days: 10)
        let upgrade = try await change(first, to: FixtureCatalog.pro)
        try await addTransaction("subscription.upgraded", first, "A subscription period that an upgrade replaced.")
        try await addTransaction("subscription.upgrade", upgrade, "The period with which an upgrade began.")
        try await change(first, to: FixtureCatalog.basic)
        try await addRenewalInfo("downgrade", first, "A subscription that will renew with a cheaper product.")
        try await change(first, to: FixtureCatalog.pro)
        try await addRenewalInfo("downgrade-withdrawn", first, "A subscription whose downgrade was withdrawn.")
    }
}
