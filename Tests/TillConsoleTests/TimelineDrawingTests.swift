import Foundation
import Testing
import TillConsole
import TillCore
import TillTesting

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A picture says what it says by shapes in their places, whatever its width.
@Suite("A timeline is drawn")
struct TimelineDrawingTests {
    @Test("A narrow picture has the newest periods and says how many came before")
    func narrow() throws {
        var shop = TimelineStage()
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

    @Test("One period does not fill a wide picture, and a month without anything does not dwarf minutes of the sandbox")
    func measures() throws {
        var shop = TimelineStage(rate: .sandbox)
        try shop.buy("pro")
        #expect(try shop.timeline().bars[0].end < 300)
        shop.advance(to: "2026-01-01T12:20:00Z")
        try shop.act(.turnAutoRenewOff(try shop.subscription().originalID))
        shop.advance(to: "2026-03-01")
        try shop.buy("pro", .none)
        let timeline = try shop.timeline()
        #expect(timeline.bars.count == 6)
        #expect(timeline.bars.allSatisfy { $0.end - $0.x > 50 })
        // Periods of a few minutes are dated to the minute.
        #expect(timeline.ticks.compactMap(\.label).contains("12:03"))
        #expect(timeline.ticks.compactMap(\.second) == ["1 Jan 2026", "1 Mar 2026"])
    }

    @Test("Now is a line at its place in the running period, and in no picture of the past")
    func now() throws {
        var shop = TimelineStage()
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
        #expect(text.contains(#"href="/console/earlier?a=1&amp;after=\#(first.change)""#))
    }

    @Test("Notifications of one instant stand above each other, and more than four share a mark")
    func crowded() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        shop.advance(to: "2026-01-15")
        let original = try shop.subscription().originalID
        for _ in 0..<4 {
            try shop.act(.turnAutoRenewOff(original))
            try shop.act(.turnAutoRenewOn(original))
        }
        let marks = try shop.timeline().marks
        #expect(marks.map(\.level) == [0, 0, 1, 2, 3])
        #expect(marks.map(\.notices.count) == [1, 1, 1, 1, 5])
        #expect(marks.map(\.kind) == [.bought, .changed, .changed, .changed, .changed])
    }

    @Test(
        "What has not arrived is hollow, and the legend says why",
        arguments: zip(
            [TimelineNotice.Fate.owed, .failed, .unsent],
            ["not arrived", "given up", "nobody to tell"]
        )
    )
    func fates(fate: TimelineNotice.Fate, words: String) throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        var facts = try shop.facts()
        #expect(!Timeline(facts, width: 660).svg(id: "a").contains("tl-hollow"))
        facts.notices[0].fate = fate
        let text = Timeline(facts, width: 660).svg(id: "a")
        #expect(text.contains("tl-hollow"))
        #expect(text.contains("tl-strike") == (fate == .failed))
        for other in ["not arrived", "given up", "nobody to tell"] {
            #expect(text.contains(">\(other)<") == (other == words), "\(other)")
        }
    }

    @Test("What is no longer shared is no refund to the legend")
    func unshared() throws {
        var shop = TimelineStage()
        shop.stage.open("bob")
        try shop.act(.joinFamily(of: try #require(shop.stage.accounts["bob"]).id, named: "family"))
        try shop.buy("pro", .none, by: "bob")
        shop.advance(to: "2026-01-20")
        try shop.act(.leaveFamily)
        let text = try shop.timeline("ann", .familyShared).svg(id: "a")
        #expect(text.contains(">no longer shared<") && !text.contains(">refund"))
    }

    @Test("A plan that was left at the instant at which it was bought is an edge in its lane, with a step to the next")
    func instantly() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        try shop.buy("pro", .none)
        try shop.buy("year", .none)
        shop.advance(to: "2026-01-10")
        let timeline = try shop.timeline()
        #expect(timeline.bars.map(\.period.productID) == ["year"])
        #expect(timeline.slivers.map(\.period.productID) == ["basic", "pro"])
        #expect(timeline.lanes.map(\.productID) == ["year", "pro", "basic"])
        #expect(timeline.steps.map(\.isPlanned) == [false, false])
        #expect(timeline.steps.allSatisfy { $0.from > $0.to && $0.x == timeline.bars[0].x })
        let text = timeline.svg(id: "a")
        #expect(text.components(separatedBy: "tl-sliver").count == 3)
        #expect(text.contains("Something else took its place at the same instant."))
        try Markup.check(text)
    }

    @Test("Names that people wrote are text and nothing else")
    func hostile() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        for name in [#"<script>alert(1)</script>"#, #""/><a href='javascript:x'>&"#, "مجلة\u{0}\u{7}", "月額プラン 🎏"] {
            var facts = try shop.facts()
            facts.products = [("basic", name)]
            let text = Timeline(facts, width: 660).svg(id: "a")
            #expect(!text.contains("<script") && !text.contains("<a href='"))
            try Markup.check(text)
        }
    }

    @Test("A name that is too long ends with an ellipsis, and is whole where it is pointed at")
    func long() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        var facts = try shop.facts()
        let name = String(repeating: "long name ", count: 20)
        facts.products = [("basic", name)]
        let text = Timeline(facts, width: 350).svg(id: "a")
        #expect(text.contains("long name…") || text.contains("lo…") || text.contains("…</text>"))
        #expect(text.contains("<title>\(name)</title>"))
    }

    @Test("Links in a picture lead to transactions and notifications, and the keyboard does not stop at each")
    func links() throws {
        var shop = TimelineStage()
        try shop.buy("basic")
        var facts = try shop.facts()
        facts.transactions = "/console/transactions/"
        let text = Timeline(facts, width: 660).svg(id: "a")
        let row = try #require(shop.stage.history("ann").first)
        #expect(text.contains(#"<a href="/console/transactions/\#(row.id.wireForm)" tabindex="-1">"#))
        #expect(text.contains(#"<a href="/console/notification/1" tabindex="-1">"#))
        #expect(text.components(separatedBy: "<a ").count == text.components(separatedBy: #"tabindex="-1""#).count)
    }

    /// What is always so, whatever was lived: the lives of the simulation are drawn, and what a picture says of access
    /// is what the subscription said at the time.
    @Test("Sixty lives are drawn as they were lived")
    func lives() async throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let life = WorkloadGenerator.workload(of: seed)
            let witness = Witness()
            var course = SimulationRun(of: life, in: WitnessedSystem(inner: CoreUnderTest(for: life), witness: witness))
            await course.run(at: .days)
            #expect(course.failure == nil)
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
                    checkForgetting(facts, witness, "seed \(seed), \(subscription.originalID.number)")
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
        // What was taken back and given again is not remembered by anything that the picture is made of.
        guard !facts.isRestored else { return }
        let story = TimelineStory(facts)
        #expect(story.untold.isEmpty, "\(place) \(story.untold.map(\.start.iso8601))")
        // Rows are dated to the second: within it, what was seen before the act and after it look alike.
        let seconds = Set(facts.rows.flatMap { [$0.purchaseDate, $0.revocation?.date].compactMap(\.self) })
        for (instant, hadAccess) in witness.access(by: facts.subscription.originalID)
        where !seconds.contains(instant.wholeSecond) {
            let period = story.periods.contains {
                $0.start <= instant && instant < ($0.revokedFrom ?? $0.end)
            }
            let grace = story.troubles.contains { $0.kind == .grace && $0.start <= instant && instant < $0.end }
            #expect((period || grace) == hadAccess, "\(place) at \(instant.iso8601)")
            let lapsed = story.lapses.contains { $0.start <= instant && instant < $0.end }
            #expect(!(lapsed && hadAccess), "\(place) at \(instant.iso8601)")
        }
    }
}

extension TimelineDrawingTests {
    /// A picture that has forgotten what was told, because it was removed or is too much, says of no instant at which
    /// there was access that there was none.
    private func checkForgetting(_ facts: TimelineFacts, _ witness: Witness, _ place: String) {
        guard !facts.isRestored else { return }
        let seconds = Set(facts.rows.flatMap { [$0.purchaseDate, $0.revocation?.date].compactMap(\.self) })
        let seen = witness.access(by: facts.subscription.originalID).filter { !seconds.contains($0.0.wholeSecond) }
        let told = facts.notices.sorted { $0.date < $1.date }
        for kept in Set([0, told.count / 3, told.count / 2, told.count - 1]).sorted() where kept >= 0 {
            for isCut in [false, true] {
                var less = facts
                less.notices = Array(told.suffix(kept))
                less.toldSince = isCut ? less.notices.first?.date ?? facts.now : nil
                let story = TimelineStory(less)
                for (instant, hadAccess) in seen where hadAccess {
                    let isDenied = story.lapses.contains { $0.start <= instant && instant < $0.end }
                    #expect(!isDenied, "\(place) at \(instant.iso8601), \(kept) of \(told.count)")
                }
            }
        }
    }
}

extension TimelineFacts {
    /// Whether something was taken back and given again, which nothing that a picture is made of remembers.
    fileprivate var isRestored: Bool { notices.contains { $0.type == "REFUND_REVERSED" || $0.type == "REVOKE" } }
}

/// Whether a text is XML.
enum Markup {
    static func check(_ text: String) throws {
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError)): \(text.prefix(2_000))")
    }
}
