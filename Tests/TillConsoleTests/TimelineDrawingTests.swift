import Foundation
import Testing
import TillCore
import TillTestSupport

@testable import TillConsole

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The layout and drawing of timelines.
@Suite("Timeline drawing")
struct TimelineDrawingTests {
    @Test("A narrow timeline shows the newest periods and the number of earlier ones")
    func narrow() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2029-01-10")
        let all = try shop.timeline(width: 10_000)
        #expect(all.bars.count == 24 && all.story.hidden == 13)
        let narrow = try shop.timeline(width: 350)
        #expect(narrow.bars.last?.period == all.bars.last?.period)
        #expect((4...8).contains(narrow.bars.count))
        #expect(narrow.story.hidden + narrow.bars.count == 37)
        #expect(narrow.svg(id: "a").contains("‹ \(narrow.story.hidden) earlier"))
    }

    @Test(
        "One period fills about half of a wide timeline, and sandbox periods of minutes stay visible next to an idle month"
    )
    func measures() throws {
        var shop = CoreShop.forTimeline(rate: .sandbox5Minutes)
        try shop.buy("pro")
        #expect((450...700).contains(try shop.timeline().bars[0].end))
        shop.advance(to: "2026-01-01T12:20:00Z")
        try shop.cancelRenewal()
        shop.advance(to: "2026-03-01")
        try shop.buy("pro", offer: .none)
        let timeline = try shop.timeline()
        #expect(timeline.bars.count == 6)
        #expect(timeline.bars.allSatisfy { $0.end - $0.x > 50 })
        // Short periods have labels with minutes.
        #expect(timeline.ticks.compactMap(\.label).contains("12:03"))
        #expect(timeline.ticks.compactMap(\.second) == ["1 Jan 2026", "1 Mar 2026"])
    }

    @Test("The current time is a line in the current period, and absent from timelines of older periods")
    func now() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2026-02-15")
        let timeline = try shop.timeline()
        let (now, running) = (try #require(timeline.nowX), timeline.bars[1])
        #expect(abs(now - (running.x + running.end) / 2) < 1)
        #expect(timeline.svg(id: "a").contains("now · 15 Feb 2026"))
        var facts = try shop.facts()
        facts.isPast = true
        facts.hasEarlier = true
        facts.earlier = "/console/earlier?a=1&after="
        let past = Timeline(facts, width: 660)
        #expect(past.nowX == nil && past.ghost == nil)
        let text = past.svg(id: "a")
        #expect(!text.contains("now ·"))
        let first = try #require(past.story.periods.first)
        #expect(text.contains(#"href="/console/earlier?a=1&amp;after=\#(first.row.change)""#))
    }

    @Test("Notifications of one instant are stacked, and more than four share a mark")
    func crowded() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        shop.advance(to: "2026-01-15")
        let original = try #require(shop.subscription()).originalID
        for _ in 0..<4 {
            try shop.perform(.turnAutoRenewOff(original))
            try shop.perform(.turnAutoRenewOn(original))
        }
        let marks = try shop.timeline().marks
        #expect(marks.map(\.level) == [0, 0, 1, 2, 3])
        #expect(marks.map(\.notices.count) == [1, 1, 1, 1, 5])
        #expect(marks.map(\.kind) == [.bought, .changed, .changed, .changed, .changed])
    }

    @Test(
        "Undelivered notifications are hollow, and the legend shows their status",
        arguments: zip(
            [TimelineNotice.Fate.pending, .failed, .unsent],
            ["pending", "failed", "not sent"]
        )
    )
    func fates(fate: TimelineNotice.Fate, words: String) throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        var facts = try shop.facts()
        #expect(!Timeline(facts, width: 660).svg(id: "a").contains("tl-hollow"))
        facts.notices[0].fate = fate
        let text = Timeline(facts, width: 660).svg(id: "a")
        #expect(text.contains("tl-hollow"))
        #expect(text.contains("tl-strike") == (fate == .failed))
        for other in ["pending", "failed", "not sent"] {
            #expect(text.contains(">\(other)<") == (other == words), "\(other)")
        }
    }

    @Test("The legend distinguishes the end of sharing from a refund")
    func unshared() throws {
        var shop = CoreShop.forTimeline()
        try shop.join("ann", familyOf: "bob")
        try shop.buy("pro", by: "bob", offer: .none)
        shop.advance(to: "2026-01-20")
        try shop.perform(.leaveFamily)
        let text = try shop.timeline("ann", .familyShared).svg(id: "a")
        #expect(text.contains(">no longer shared<") && !text.contains(">refund"))
    }

    @Test("A plan that was replaced at its start is drawn as an edge with an arrow to the next lane")
    func instantly() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        try shop.buy("pro", offer: .none)
        try shop.buy("year", offer: .none)
        shop.advance(to: "2026-01-10")
        let timeline = try shop.timeline()
        #expect(timeline.bars.map(\.period.productID) == ["year"])
        #expect(timeline.slivers.map(\.period.productID) == ["basic", "pro"])
        #expect(timeline.lanes.map(\.productID) == ["year", "pro", "basic"])
        #expect(timeline.steps.map(\.isPlanned) == [false, false])
        #expect(timeline.steps.allSatisfy { $0.from > $0.to && $0.x == timeline.bars[0].x })
        let text = timeline.svg(id: "a")
        #expect(text.components(separatedBy: "tl-sliver").count == 3)
        #expect(text.contains("Another plan replaced it immediately."))
        try Markup.check(text)
    }

    @Test("Names are escaped")
    func hostile() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        for name in [#"<script>alert(1)</script>"#, #""/><a href='javascript:x'>&"#, "مجلة\u{0}\u{7}", "月額プラン 🎏"] {
            var facts = try shop.facts()
            facts.products = [("basic", name)]
            let text = Timeline(facts, width: 660).svg(id: "a")
            #expect(!text.contains("<script") && !text.contains("<a href='"))
            try Markup.check(text)
        }
    }

    @Test("A long name is truncated, and its tooltip is complete")
    func long() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        var facts = try shop.facts()
        let name = String(repeating: "long name ", count: 20)
        facts.products = [("basic", name)]
        let text = Timeline(facts, width: 350).svg(id: "a")
        #expect(text.contains("long name…") || text.contains("lo…") || text.contains("…</text>"))
        #expect(text.contains("<title>\(name)</title>"))
    }

    @Test("Bars and marks are links that the keyboard skips")
    func links() throws {
        var shop = CoreShop.forTimeline()
        try shop.buy("basic")
        var facts = try shop.facts()
        facts.transactions = "/console/transactions/"
        let text = Timeline(facts, width: 660).svg(id: "a")
        let row = try #require(shop.history("ann").first)
        #expect(text.contains(#"<a href="/console/transactions/\#(row.id.wireForm)" tabindex="-1">"#))
        #expect(text.contains(#"<a href="/console/notification/1" tabindex="-1">"#))
        #expect(text.components(separatedBy: "<a ").count == text.components(separatedBy: #"tabindex="-1""#).count)
    }

    /// Timelines of random workloads show access exactly when the subscription gave access.
    @Test("Timelines of sixty random workloads show the observed access")
    func workloads() async throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let workload = WorkloadGenerator.workload(of: seed)
            let witness = Witness()
            let system = WitnessedSystem(inner: CoreUnderTest(for: workload), witness: witness)
            var run = SimulationRun(of: workload, in: system)
            await run.run(at: .days)
            #expect(run.failure == nil)
            let end = try #require(witness.end)
            for account in end.accounts.values.sorted(by: { $0.id < $1.id }) {
                for subscription in account.subscriptions {
                    let facts = TimelineFacts(
                        of: subscription,
                        held: account,
                        rows: end.rows.values,
                        notifications: end.notifications,
                        catalog: end.catalog,
                        policy: end.policy,
                        at: end.now
                    )
                    try checkShape(facts, "seed \(seed)")
                    checkAccess(facts, witness, "seed \(seed), \(subscription.originalID.number)")
                    checkMissingNotifications(facts, witness, "seed \(seed), \(subscription.originalID.number)")
                }
            }
        }
    }

    private func checkShape(_ facts: TimelineFacts, _ place: String) throws {
        for width in Timeline.widths {
            let timeline = Timeline(facts, width: width)
            try Markup.check(timeline.svg(id: "t"))
            let bars = timeline.bars
            #expect(!bars.isEmpty, "\(place)")
            #expect(bars.allSatisfy { $0.x < $0.end && $0.x >= 0 && $0.end <= width }, "\(place)")
            #expect(zip(bars, bars.dropFirst()).allSatisfy { $0.end <= $1.x + 0.001 }, "\(place)")
            let reached = [timeline.ghost?.end, timeline.nowX] + timeline.strips.map(\.end) + timeline.marks.map(\.x)
            #expect(reached.compactMap(\.self).allSatisfy { (0...width).contains($0) }, "\(place)")
        }
    }

    private func checkAccess(_ facts: TimelineFacts, _ witness: Witness, _ place: String) {
        // The input of a timeline does not record access that was revoked and restored.
        guard !facts.isRestored else { return }
        let story = TimelineStory(facts)
        #expect(story.unknownSpans.isEmpty, "\(place) \(story.unknownSpans.map(\.start.iso8601))")
        // Transactions are dated to the second, so observations within that second are ambiguous.
        let seconds = Set(facts.rows.flatMap { [$0.purchaseDate, $0.revocation?.date].compactMap(\.self) })
        for (instant, hadAccess) in witness.access(by: facts.subscription.originalID)
        where !seconds.contains(instant.wholeSecond) {
            let period = story.periods.contains {
                $0.start <= instant && instant < ($0.revokedFrom ?? $0.end)
            }
            let grace = story.billingIssues.contains { $0.kind == .grace && $0.start <= instant && instant < $0.end }
            #expect((period || grace) == hadAccess, "\(place) at \(instant.iso8601)")
            let lapsed = story.lapses.contains { $0.start <= instant && instant < $0.end }
            #expect(!(lapsed && hadAccess), "\(place) at \(instant.iso8601)")
        }
    }
}

extension TimelineDrawingTests {
    /// A timeline with missing notifications never denies access that existed.
    private func checkMissingNotifications(_ facts: TimelineFacts, _ witness: Witness, _ place: String) {
        guard !facts.isRestored else { return }
        let seconds = Set(facts.rows.flatMap { [$0.purchaseDate, $0.revocation?.date].compactMap(\.self) })
        let seen = witness.access(by: facts.subscription.originalID).filter { !seconds.contains($0.0.wholeSecond) }
        let notices = facts.notices.sorted { $0.date < $1.date }
        for kept in Set([0, notices.count / 3, notices.count / 2, notices.count - 1]).sorted() where kept >= 0 {
            for isCut in [false, true] {
                var less = facts
                less.notices = Array(notices.suffix(kept))
                less.knownSince = isCut ? less.notices.first?.date ?? facts.now : nil
                let story = TimelineStory(less)
                for (instant, hadAccess) in seen where hadAccess {
                    let isDenied = story.lapses.contains { $0.start <= instant && instant < $0.end }
                    #expect(!isDenied, "\(place) at \(instant.iso8601), \(kept) of \(notices.count)")
                }
            }
        }
    }
}

extension TimelineFacts {
    /// Whether access was revoked and possibly restored, which the input of a timeline does not record.
    fileprivate var isRestored: Bool { notices.contains { $0.type == "REFUND_REVERSED" || $0.type == "REVOKE" } }
}

/// Checks that a text is well-formed XML.
enum Markup {
    static func check(_ text: String) throws {
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError)): \(text.prefix(2_000))")
    }
}
