import Testing
import TillControl
import TillJSON
import TillTestSupport

/// Checks the clock of an environment, customer clocks, and the events that are due on them.
@Suite("Clocks, through the control API")
struct ClockControlTests {
    @Test("A clock shows real time until it is set")
    func modes() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let clock = try await control.send(GetClock(app: app))
            #expect(clock.mode == .real && clock.now == control.test.now && clock.speed == nil)
            let frozen = try await control.send(SetClock(app: app, mode: .frozen))
            #expect(frozen.mode == .frozen)
            let shown = try await control.send(GetClock(app: app))
            #expect(try shown.json == frozen.json)
            let running = try await control.send(SetClock(app: app, mode: .running, speed: 1_000))
            #expect(running.mode == .running && running.speed == 1_000)
            control.test.advance(50)
            let later = try await control.send(GetClock(app: app))
            #expect(later.now > running.now.advanced(milliseconds: 40_000))
            let real = SetClock(app: app, mode: .real)
            try await control.expectRefusal(409, "clock_goes_forward", of: real)
            let past = SetClock(app: app, mode: .frozen, at: control.inDays(-1))
            try await control.expectRefusal(409, "clock_goes_forward", of: past)
            let dated = SetClock(app: app, mode: .real, at: control.test.now)
            try await control.expectRefusal(400, "bad_clock", of: dated)
            #expect(later.advance == nil)
        }
    }

    @Test("Upcoming events are listed by clock and date")
    func upcoming() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let none = try UpcomingEventList(events: []).json
            #expect(try await control.send(ListUpcomingEvents(app: app)).json == none)
            _ = try await control.send(SetClock(app: app, mode: .frozen))
            let bought = try await control.buy("pro", by: "ann")
            _ = try await control.send(AdvanceClock(app: app, by: "1d"))
            let late = try await control.buy("pro", by: "bob")
            _ = try await control.send(CancelSubscription(app: app, originalTransactionId: late.transactionId))
            let events = try await control.send(ListUpcomingEvents(app: app)).events
            try #require(events.count == 2)
            let (first, second) = (events[0], events[1])
            #expect(first.customer == "ann" && first.event == .renewal && first.transactionId == bought.transactionId)
            #expect(second.customer == "bob" && second.event == .endOfPeriod)
            #expect(first.date < second.date && second.date == late.expiresDate)
            let limited = try await control.send(ListUpcomingEvents(app: app, limit: 1)).events
            #expect(try limited.json == [first].json)
            #expect(try await control.send(AdvanceClock(app: app, toNextEvent: true)).to == first.date)
            _ = try await control.send(CreateClock(app: app, name: "own"))
            #expect(try await control.send(ListUpcomingEvents(app: app, clock: "own")).json == none)
            let unknown = ListUpcomingEvents(app: app, clock: "unknown")
            try await control.expectRefusal(404, "unknown_clock", of: unknown)
            try await control.expectRefusal(400, "bad_query", of: ListUpcomingEvents(app: app, limit: 0))
        }
    }

    @Test("An advance processes due events")
    func advance() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let bought = try await control.buy("pro", by: "ann")
            control.test.advance(500)
            _ = try await control.send(SetClock(app: app, mode: .frozen))
            let year = try await control.send(AdvanceClock(app: app, by: "1y"))
            #expect(year.accounts == 1 && year.quarantined.isEmpty && year.settled == nil)
            #expect(try year.notifications.json == [TypedControl.count(.didRenew, nil, 12)].json)
            let subscription = try await control.subscription(of: "ann")
            #expect(subscription.status == .active && subscription.expiresDate > year.to)
            _ = try await control.send(CancelSubscription(app: app, originalTransactionId: bought.transactionId))
            let end = try await control.send(AdvanceClock(app: app, toNextEvent: true))
            #expect(try end.notifications.json == [TypedControl.count(.expired, .voluntary)].json)
            #expect(end.to == subscription.expiresDate)
            let next = end.to.advanced(milliseconds: 1)
            #expect(try await control.send(AdvanceClock(app: app, to: next)).to == next)
            let later = try await control.send(AdvanceClock(app: app, by: "PT36H"))
            #expect(later.to == next.advanced(milliseconds: 36 * 3_600_000))
        }
    }

    @Test("A clock shows the progress of a running advance")
    func progress() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(SetClock(app: app, mode: .frozen))
            for customer in ["ann", "bob", "cem", "dee", "eve"] { _ = try await control.buy("pro", by: customer) }
            var clock = try await control.send(GetClock(app: app))
            async let advance = control.send(AdvanceClock(app: app, by: "5y"))
            let (start, end) = (clock.now, clock.now.advanced(milliseconds: 4 * 365 * 86_400_000))
            while clock.advance == nil, clock.now < end { clock = try await control.send(GetClock(app: app)) }
            let report = try await advance
            let progress = try #require(clock.advance)
            #expect(progress.from == start && progress.from == report.from && progress.to == report.to)
            #expect(progress.accounts <= 5 && progress.notifications <= 300)
            #expect(try await control.send(GetClock(app: app)).advance == nil)
        }
    }

    @Test("An advance without a valid target is refused")
    func invalidTargets() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(SetClock(app: app, mode: .frozen))
            try await control.expectRefusal(400, "bad_advance", of: AdvanceClock(app: app))
            let two = AdvanceClock(app: app, by: "1mo", to: control.test.now)
            try await control.expectRefusal(400, "bad_advance", of: two)
            for text in ["soon", "2026-01-01"] {
                try await control.expectRefusal(400, "bad_duration", of: AdvanceClock(app: app, by: text))
            }
            let past = AdvanceClock(app: app, to: control.inDays(-1))
            try await control.expectRefusal(409, "clock_goes_forward", of: past)
            let nothing = AdvanceClock(app: app, toNextEvent: true)
            try await control.expectRefusal(409, "nothing_to_come", of: nothing)
        }
    }

    @Test("Customers can have a clock of their own")
    func customerClock() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let start = control.inDays(-300).advanced(milliseconds: 500)
            let made = try await control.send(CreateClock(app: app, name: "trial", at: start))
            #expect(try made.json == ClockInfo(name: "trial", mode: .frozen, now: start).json)
            try await control.expectRefusal(409, "clock_exists", of: CreateClock(app: app, name: "trial"))
            try await control.expectRefusal(400, "bad_clock", of: CreateClock(app: app, name: "a b"))
            let listed = try await control.send(ListClocks(app: app))
            #expect(try listed.json == [made].json)
            #expect(try await control.send(GetClock(app: app, clock: "trial")).json == made.json)
            _ = try await control.send(CreateCustomer(app: app, customer: "ann", at: start))
            let assign = UpdateCustomer(app: app, customer: "ann", clock: "trial")
            #expect(try await control.send(assign).customer.clock == "trial")
            let bought = try await control.buy("pro", by: "ann")
            #expect(bought.purchaseDate.wholeSecond == start.wholeSecond)
            let report = try await control.send(AdvanceClock(app: app, clock: "trial", by: "P1M"))
            #expect(try report.notifications.json == [TypedControl.count(.didRenew)].json)
            #expect(try await control.send(GetClock(app: app, clock: "trial")).advance == nil)
            let run = SetClock(app: app, clock: "trial", mode: .running)
            #expect(try await control.send(run).mode == .running)
            #expect(try await control.send(GetClock(app: app)).mode == .real)
            let unassign = UpdateCustomer(app: app, customer: "ann", clock: "")
            #expect(try await control.send(unassign).customer.clock == nil)
        }
    }

    @Test("A clock is deleted when no customer uses it")
    func deletion() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateClock(app: app, name: "trial"))
            _ = try await control.send(CreateCustomer(app: app, customer: "ann", clock: "trial"))
            let delete = DeleteClock(app: app, clock: "trial")
            try await control.expectRefusal(409, "clock_in_use", of: delete)
            _ = try await control.send(UpdateCustomer(app: app, customer: "ann", clock: ""))
            _ = try await control.send(delete)
            #expect(try await control.send(ListClocks(app: app)).isEmpty)
            try await control.expectRefusal(404, "unknown_clock", of: delete)
            // The name is free again.
            #expect(try await control.send(CreateClock(app: app, name: "trial")).name == "trial")
        }
    }

    @Test("An unknown clock is refused")
    func unknownClock() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateCustomer(app: app, customer: "ann"))
            try await control.expectRefusal(404, "unknown_clock", of: GetClock(app: app, clock: "no"))
            let set = SetClock(app: app, clock: "no", mode: .frozen)
            try await control.expectRefusal(404, "unknown_clock", of: set)
            let advance = AdvanceClock(app: app, clock: "no", by: "1d")
            try await control.expectRefusal(404, "unknown_clock", of: advance)
            let assign = UpdateCustomer(app: app, customer: "ann", card: .declined, clock: "no")
            try await control.expectRefusal(404, "unknown_clock", of: assign)
            #expect(try await control.send(GetCustomer(app: app, customer: "ann")).card == .accepted)
        }
    }
}
