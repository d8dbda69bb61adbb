import Testing
import TillCore
import TillTestSupport

@testable import TillConsole

/// The history of a subscription on its timeline.
@Suite("Timeline history")
struct TimelineStoryTests {
    @Test("A timeline shows a trial, the months after it, and the next renewal")
    func trial() throws {
        var shop = CoreShop.forTimeline()
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

    @Test("After a declined payment, a timeline shows the grace period, billing retry, and the end")
    func declined() throws {
        var shop = CoreShop.forTimeline()
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
        #expect(over.lapses.map(\.end) == [shop.now])
    }

    @Test("A renewal recovered in the grace period starts with the grace period, otherwise after billing retry")
    func recovered() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-02-10")
        var late = shop
        try shop.perform(.useCard(.accepted))
        let soon = try shop.timeline()
        #expect(soon.story.billingIssues.map(\.kind) == [.grace])
        #expect(soon.story.billingIssues[0].end == Timestamp(day: "2026-02-10"))
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
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2026-01-10")
        try shop.buy("pro", offer: .none)
        try shop.buy("basic")
        let timeline = try shop.timeline()
        #expect(timeline.lanes.map(\.name) == ["Plan pro", "Plan basic"])
        #expect(timeline.bars.map(\.lane) == [1, 0])
        #expect(timeline.bars[0].period.isSuperseded)
        #expect(timeline.bars[0].period.end == Timestamp(day: "2026-01-10"))
        #expect(timeline.bars[0].period.expiresDate == Timestamp(day: "2026-02-01"))
        #expect(timeline.steps.map(\.isPlanned) == [false, true])
        #expect(timeline.steps[0].from > timeline.steps[0].to && timeline.steps[1].from < timeline.steps[1].to)
        #expect(timeline.ghost?.lane == 1)
    }

    @Test("A period that was charged in advance is shown, unless an upgrade replaced it")
    func ahead() throws {
        var shop = CoreShop.forTimeline(in: .production)
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
        let given = try #require(shop.history("ann").first { $0.isUpgraded && $0.reason == .renewal })
        try shop.refund(given)
        let after = TimelineStory(try shop.facts())
        #expect(after.periods.map(\.productID) == ["basic", "year"] && after.lapses.isEmpty)
        #expect(after.periods.map(\.end) == story.periods.map(\.end))
    }

    @Test("A refund ends the current period, but a refunded past period keeps its length")
    func refunds() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2026-02-11")
        let rows = shop.history("ann")
        try shop.refund(rows[0])
        #expect(TimelineStory(try shop.facts()).next != nil)
        try shop.refund(rows[1], .part(25_000))
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.isRefundedLater) == [true, false])
        #expect(story.periods.map(\.revokedFrom) == [nil, Timestamp(day: "2026-02-11")])
        #expect(story.next == nil)
        // A new purchase replaces the rest of the old period.
        shop.advance(to: "2026-02-15")
        try shop.buy("basic", offer: .none)
        let again = TimelineStory(try shop.facts())
        #expect(again.periods[1].end == Timestamp(day: "2026-02-15"))
        #expect(again.periods[1].end < again.periods[1].expiresDate)
        #expect(again.lapses.isEmpty)
    }

    @Test("If a new purchase follows a refund immediately, the refunded period ended with the refund")
    func refundedAtOnce() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2026-01-11")
        try shop.refund(try #require(shop.history("ann").first))
        try shop.buy("basic", offer: .none)
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.end) == [Timestamp(day: "2026-01-11"), Timestamp(day: "2026-02-11")])
        #expect(story.periods.map(\.isRefundedLater) == [false, false])
        let text = try shop.timeline().svg(id: "a")
        #expect(text.contains("which ended access") && !text.contains("after the period ended"))
    }

    @Test("Resubscribing later leaves a gap without access")
    func resubscribed() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        try shop.cancelRenewal()
        #expect(TimelineStory(try shop.facts()).next == .ends(Timestamp(day: "2026-02-01")))
        shop.advance(to: "2026-05-01")
        try shop.buy("pro", offer: .none)
        let story = TimelineStory(try shop.facts())
        #expect(story.lapses.map(\.start) == [Timestamp(day: "2026-02-01")])
        #expect(story.lapses.map(\.end) == [Timestamp(day: "2026-05-01")])
    }

    @Test("A gap without notifications is not shown as time without access")
    func forgotten() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-03-10")
        try shop.perform(.useCard(.accepted))
        try shop.cancelRenewal()
        shop.advance(to: "2026-06-01")
        try shop.buy("basic", offer: .none)
        var facts = try shop.facts()
        let whole = TimelineStory(facts)
        #expect(
            whole.billingIssues.map(\.kind) == [.grace, .retry] && whole.lapses.count == 1 && whole.unknownSpans.isEmpty
        )
        // Deleted: notifications before the second purchase.
        facts.notices.removeAll { $0.date < Timestamp(day: "2026-05-01") }
        let removed = TimelineStory(facts)
        #expect(removed.lapses.isEmpty && removed.billingIssues.isEmpty)
        #expect(removed.unknownSpans.map(\.start) == [Timestamp(day: "2026-02-01"), whole.lapses[0].start])
        // Omitted: notifications before the end of the grace period.
        facts = try shop.facts()
        facts.knownSince = Timestamp(day: "2026-02-10")
        facts.notices.removeAll { $0.date < Timestamp(day: "2026-02-10") }
        let cut = TimelineStory(facts)
        #expect(cut.lapses == whole.lapses)
        #expect(cut.unknownSpans.map(\.start) == [Timestamp(day: "2026-02-01")])
        #expect(Timeline(facts, width: 1_040).svg(id: "a").contains("access is unknown"))
        // Of the notifications from the time of the failed payment, only the last notification was read.
        let end = Timestamp(day: "2026-02-01")
        var last = try #require(facts.notices.first)
        (last.type, last.subtype, last.date) = ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", end)
        last.transaction = whole.periods[0].row.id
        facts.notices.append(last)
        facts.knownSince = end
        #expect(TimelineStory(facts).unknownSpans.map(\.start) == [end])
    }

    @Test("The current payment failure is known without notifications")
    func present() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        try shop.perform(.useCard(.declinedForRenewals))
        shop.advance(to: "2026-06-01")
        var facts = try shop.facts()
        facts.notices = []
        let story = TimelineStory(facts)
        #expect(story.billingIssues.map(\.kind) == [.grace, .retry])
        #expect(story.lapses.map(\.end) == [shop.now] && story.unknownSpans.isEmpty)
    }

    @Test("An extended period is marked")
    func extended() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2026-02-11")
        let original = try #require(shop.subscription()).originalID
        try shop.perform(.extend(Extension(subscription: original, days: 10, reasonCode: 0, request: "a")))
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.map(\.isExtended) == [false, true])
        // In Pacific time, daylight saving time begins on 8 March 2026.
        #expect(story.periods[1].end == Timestamp(day: "2026-03-11T11:00:00Z"))
    }

    @Test("A commitment spans its months and shows the current one")
    func commitment() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("year", monthly: true)
        shop.advance(to: "2026-04-10")
        let story = TimelineStory(try shop.facts())
        #expect(story.periods.count == 4)
        #expect(story.commitments.map(\.month) == [4])
        #expect(story.commitments.map(\.months) == [12])
        #expect(story.commitments[0].end == Timestamp(day: "2027-01-01"))
        shop.advance(to: "2027-02-10")
        #expect(TimelineStory(try shop.facts()).commitments.map(\.month) == [12, 2])
    }

    @Test("A shared subscription is shown as shared until sharing ends")
    func family() throws {
        var shop = CoreShop.forTimeline()
        try shop.join("ann", familyOf: "bob")
        try shop.buy("pro", by: "bob", offer: .none)
        shop.advance(to: "2026-02-11")
        try shop.perform(.leaveFamily)
        shop.advance(to: "2026-03-11")
        let story = TimelineStory(try shop.facts("ann", .familyShared))
        #expect(story.periods.map(\.kind) == [.shared, .shared])
        #expect(story.periods.map(\.revokedFrom) == [nil, Timestamp(day: "2026-02-11")])
        #expect(story.lapses.map(\.start) == [Timestamp(day: "2026-03-01")])
    }

    @Test("A price increase that awaits consent is shown in the next period")
    func consent() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        let raised = Product.plan("basic", level: 3, at: 49_990, isShared: true)
        shop.catalog.put(raised)
        let raise = PriceRaise(productID: "basic", prices: raised.prices, consent: .required)
        shop.perform(Job(id: "job", task: .raisePrice(raise)))
        shop.advance(to: "2026-01-20")
        guard case .renews(_, _, _, _, let awaitsConsent) = TimelineStory(try shop.facts()).next else {
            Issue.record("nothing comes next")
            return
        }
        #expect(awaitsConsent)
    }
}
