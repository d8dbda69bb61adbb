import Testing
import TillConsole
import TillCore
import TillTesting

/// The history of a subscription on its timeline.
@Suite("Timeline history")
struct TimelineStoryTests {
    @Test("A trial, the months after it, and the next renewal")
    func trial() throws {
        var shop = TimelineStage()
        try shop.buy("pro")
        shop.advance(to: "2026-03-20")
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.kind) == [.trial, .paid, .paid, .paid])
        #expect(
            story.periods.map { $0.start.iso8601.prefix(10) } == [
                "2026-01-01", "2026-01-08", "2026-02-08", "2026-03-08",
            ]
        )
        #expect(zip(story.periods, story.periods.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(story.billingIssues.isEmpty && story.lapses.isEmpty && story.hidden == 0)
        let price = Money(milliunits: 9_990, currency: "USD")
        #expect(
            story.next
                == .renews(
                    try #require(story.periods.last).end,
                    productID: "pro",
                    price: price,
                    offer: nil,
                    awaitsConsent: false
                )
        )
    }

    @Test("A declined card: grace period, billing retry, and the end")
    func declined() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-02-10")
        let inGrace = TimelineStory(try shop.facts())
        #expect(inGrace.billingIssues.map(\.kind) == [.grace])
        #expect(inGrace.billingIssues[0].isOpen && inGrace.next == nil)
        shop.advance(to: "2026-03-01")
        let inRetry = TimelineStory(try shop.facts())
        #expect(inRetry.billingIssues.map(\.kind) == [.grace, .retry])
        #expect(inRetry.billingIssues.map(\.isOpen) == [false, true])
        #expect(inRetry.billingIssues[0].start == inRetry.periods[0].end)
        #expect(inRetry.billingIssues[0].end == inRetry.billingIssues[1].start)
        #expect(inRetry.lapses.isEmpty)
        shop.advance(to: "2026-06-01")
        let over = TimelineStory(try shop.facts())
        #expect(over.billingIssues.map(\.isOpen) == [false, false])
        #expect(over.lapses.map(\.start) == [over.billingIssues[1].end])
        #expect(over.lapses.map(\.end) == [shop.stage.now])
    }

    @Test("A recovery in the grace period starts at its beginning; a later one starts after billing retry")
    func recovered() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-02-10")
        var late = shop
        try shop.perform(.useCard(.accepted))
        let soon = try shop.timeline()
        #expect(soon.story.billingIssues.map(\.kind) == [.grace])
        #expect(soon.story.billingIssues[0].end == Timestamp(noon: "2026-02-10"))
        #expect(soon.strips.map(\.isOverBars) == [true])
        late.advance(to: "2026-03-10")
        try late.perform(.useCard(.accepted))
        let story = TimelineStory(try late.facts())
        #expect(story.billingIssues.map(\.kind) == [.grace, .retry])
        #expect(story.billingIssues[1].end == story.periods[1].start)
        #expect(story.lapses.isEmpty)
    }

    @Test("An upgrade ends a period early and moves to another lane; a downgrade waits for the renewal")
    func plans() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        shop.advance(to: "2026-01-10")
        try shop.buy("pro", .none)
        try shop.buy("basic")
        let timeline = try shop.timeline()
        #expect(timeline.lanes.map(\.name) == ["Plan pro", "Plan basic"])
        #expect(timeline.bars.map(\.lane) == [1, 0])
        #expect(timeline.bars[0].period.isSuperseded)
        #expect(timeline.bars[0].period.end == Timestamp(noon: "2026-01-10"))
        #expect(timeline.bars[0].period.expiresDate == Timestamp(noon: "2026-02-01"))
        #expect(timeline.steps.map(\.isPlanned) == [false, true])
        #expect(timeline.steps[0].from > timeline.steps[0].to && timeline.steps[1].from < timeline.steps[1].to)
        #expect(timeline.ghost?.lane == 1)
    }

    @Test("A period that was charged in advance is shown, unless an upgrade replaced it")
    func ahead() throws {
        var shop = TimelineStage(in: .production)
        try shop.buy("basic")
        shop.advance(to: "2026-02-01T01:00:00Z")
        let charged = TimelineStory(try shop.facts())
        #expect(charged.periods.map(\.isAhead) == [false, true])
        try shop.buy("year")
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.productID) == ["basic", "year"])
        #expect(story.periods[0].end == story.periods[1].start)
        shop.advance(to: "2026-02-20")
        #expect(TimelineStory(try shop.facts()).periods.map(\.productID) == ["basic", "year"])
        // Refunding the replaced period does not show it.
        let given = try #require(shop.stage.history("ann").first { $0.isUpgraded && $0.reason == .renewal })
        try shop.perform(.refund(Refund(transaction: given.id)))
        let after = TimelineStory(try shop.facts())
        #expect(after.periods.map(\.productID) == ["basic", "year"] && after.lapses.isEmpty)
        #expect(after.periods.map(\.end) == story.periods.map(\.end))
    }

    @Test("A refund ends a current period; a past period keeps its length")
    func refunds() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        shop.advance(to: "2026-02-11")
        let rows = shop.stage.history("ann")
        try shop.perform(.refund(Refund(transaction: rows[0].id)))
        #expect(TimelineStory(try shop.facts()).next != nil)
        try shop.perform(.refund(Refund(transaction: rows[1].id, share: .part(25_000))))
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.isRefundedLater) == [true, false])
        #expect(story.periods.map(\.revokedFrom) == [nil, Timestamp(noon: "2026-02-11")])
        #expect(story.next == nil)
        // A new purchase replaces the rest of the old period.
        shop.advance(to: "2026-02-15")
        try shop.buy("basic", .none)
        let again = TimelineStory(try shop.facts())
        #expect(again.periods[1].end == Timestamp(noon: "2026-02-15"))
        #expect(again.periods[1].end < again.periods[1].expiresDate)
        #expect(again.lapses.isEmpty)
    }

    @Test("With a refund and an immediate new purchase, access ended with the refund")
    func refundedAtOnce() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        shop.advance(to: "2026-01-11")
        try shop.perform(.refund(Refund(transaction: try #require(shop.stage.history("ann").first).id)))
        try shop.buy("basic", .none)
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.end) == [Timestamp(noon: "2026-01-11"), Timestamp(noon: "2026-02-11")])
        #expect(story.periods.map(\.isRefundedLater) == [false, false])
        let text = try shop.timeline().svg(id: "a")
        #expect(text.contains("which ended access") && !text.contains("after the period ended"))
    }

    @Test("Resubscribing later leaves a gap without access")
    func resubscribed() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        try shop.perform(.turnAutoRenewOff(try shop.subscription().originalID))
        #expect(TimelineStory(try shop.facts()).next == .ends(Timestamp(noon: "2026-02-01")))
        shop.advance(to: "2026-05-01")
        try shop.buy("pro", .none)
        let story = TimelineStory(try shop.facts())
        #expect(story.lapses.map(\.start) == [Timestamp(noon: "2026-02-01")])
        #expect(story.lapses.map(\.end) == [Timestamp(noon: "2026-05-01")])
    }

    @Test("A gap without notifications is not shown as time without access")
    func forgotten() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-03-10")
        try shop.perform(.useCard(.accepted))
        try shop.perform(.turnAutoRenewOff(try shop.subscription().originalID))
        shop.advance(to: "2026-06-01")
        try shop.buy("basic", .none)
        var facts = try shop.facts()
        let whole = TimelineStory(facts)
        #expect(whole.billingIssues.map(\.kind) == [.grace, .retry] && whole.lapses.count == 1 && whole.unknownSpans.isEmpty)
        // Deleted: notifications before the second purchase.
        facts.notices.removeAll { $0.date < Timestamp(noon: "2026-05-01") }
        let removed = TimelineStory(facts)
        #expect(removed.lapses.isEmpty && removed.billingIssues.isEmpty)
        #expect(removed.unknownSpans.map(\.start) == [Timestamp(noon: "2026-02-01"), whole.lapses[0].start])
        // Omitted: notifications before the end of the grace period.
        facts = try shop.facts()
        facts.knownSince = Timestamp(noon: "2026-02-10")
        facts.notices.removeAll { $0.date < Timestamp(noon: "2026-02-10") }
        let cut = TimelineStory(facts)
        #expect(cut.lapses == whole.lapses)
        #expect(cut.unknownSpans.map(\.start) == [Timestamp(noon: "2026-02-01")])
        #expect(Timeline(facts, width: 1_040).svg(id: "a").contains("access is unknown"))
        // Of the notifications at the failed payment, only the last one was read.
        let end = Timestamp(noon: "2026-02-01")
        var last = try #require(facts.notices.first)
        (last.type, last.subtype, last.date) = ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", end)
        last.transaction = whole.periods[0].transaction
        facts.notices.append(last)
        facts.knownSince = end
        #expect(TimelineStory(facts).unknownSpans.map(\.start) == [end])
    }

    @Test("The current payment failure is known without notifications")
    func present() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-06-01")
        var facts = try shop.facts()
        facts.notices = []
        let story = TimelineStory(facts)
        #expect(story.billingIssues.map(\.kind) == [.grace, .retry])
        #expect(story.lapses.map(\.end) == [shop.stage.now] && story.unknownSpans.isEmpty)
    }

    @Test("An extended period is marked")
    func extended() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        shop.advance(to: "2026-02-11")
        let original = try shop.subscription().originalID
        try shop.perform(.extend(Extension(subscription: original, days: 10, reasonCode: 0, request: "a")))
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.isExtended) == [false, true])
        // Daylight saving time begins in Pacific time.
        #expect(story.periods[1].end == Timestamp(noon: "2026-03-11T11:00:00Z"))
    }

    @Test("A commitment spans its months and shows the current one")
    func commitment() throws {
        var shop = TimelineStage()
        try shop.buy("year", monthly: true)
        shop.advance(to: "2026-04-10")
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.count == 4)
        #expect(story.commitments.map(\.month) == [4])
        #expect(story.commitments.map(\.months) == [12])
        #expect(story.commitments[0].end == Timestamp(noon: "2027-01-01"))
        shop.advance(to: "2027-02-10")
        #expect(TimelineStory(try shop.facts()).commitments.map(\.month) == [12, 2])
    }

    @Test("A shared subscription is shown as shared until sharing ends")
    func family() throws {
        var shop = TimelineStage()
        shop.stage.open("bob")
        let bob = try #require(shop.stage.accounts["bob"])
        try shop.perform(.joinFamily(of: bob.id, named: "family"))
        try shop.buy("pro", .none, by: "bob")
        shop.advance(to: "2026-02-11")
        try shop.perform(.leaveFamily)
        shop.advance(to: "2026-03-11")
        let story = TimelineStory(try shop.facts("ann", .familyShared))
        #expect(story.periods.map(\.kind) == [.shared, .shared])
        #expect(story.periods.map(\.revokedFrom) == [nil, Timestamp(noon: "2026-02-11")])
        #expect(story.lapses.map(\.start) == [Timestamp(noon: "2026-03-01")])
    }

    @Test("A price increase that awaits consent is shown in the next period")
    func consent() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        let raised = TimelineStage.plan("basic", level: 3, price: 49_990)
        shop.stage.catalog.put(raised)
        let raise = PriceRaise(productID: "basic", prices: raised.prices, consent: .required)
        shop.stage.perform(Job(id: "job", task: .raisePrice(raise)))
        shop.advance(to: "2026-01-20")
        guard case .renews(_, _, _, _, let awaitsConsent) = TimelineStory(try shop.facts()).next else {
            Issue.record("nothing comes next")
            return
        }
        #expect(awaitsConsent)
    }
}
