import TillControl
import TillCore
import TillServer
import TillShop

/// A clock, shown by `{{>clock}}`: its time and mode, upcoming events, and forms to change it.
struct ClockCard: Sendable {
    let page: PageRequest
    let app: AppEnvironment
    /// The name of a customer clock; nil for the environment's clock.
    var own: String?
    /// The customer whose upcoming events are shown; nil for the events of all customers.
    var customer: Account?

    /// The part of element IDs that identifies the clock.
    private var id: String { [app.bundleId, app.environment.rawValue, own].compactMap(\.self).joined(separator: "-") }

    /// The title of an environment's clock: `Sandbox clock`.
    static func title(_ environment: StoreEnvironment) -> String { "\(Words.sentence(environment.rawValue)) clock" }

    /// - Parameters:
    ///   - limit: the maximum number of upcoming events to show.
    ///   - isOpen: whether the forms are unfolded.
    func value(limit: Int, isOpen: Bool = false) async throws(ControlError) -> PageValue {
        let clock = try await page.send(GetClock(app: app, clock: own))
        let upcoming = try await page.send(ListUpcomingEvents(app: app, clock: own, limit: limit))
        let now = clock.now
        let job = own == nil ? try await nextJob() : nil
        let delivery = upcoming.nextAttemptDate
        let hasNext = !upcoming.events.isEmpty || job != nil || (delivery ?? now) > now
        return [
            "id": id, "own": own, "title": Self.title(app.environment), "now": now, "mode": clock.mode.rawValue,
            "words": Self.words(clock, page.shop.wallClock()),
            "isOpen": isOpen, "isGuarded": page.shop.settings.guards(app.environment),
            "advance": clock.advance.map {
                ["to": $0.to, "accounts": $0.accounts, "notifications": $0.notifications] as PageValue
            },
            "upcoming": customer.map { event(of: $0, now) } ?? events(upcoming.events, now),
            "isOfOne": customer != nil, "job": Words.time(job, from: now),
            // An overdue delivery waits for its endpoint, not for the clock.
            "delivery": delivery.map { ["time": Words.time($0, from: now), "isOverdue": $0 < now] as PageValue },
            "forms": forms(clock, hasNext: hasNext),
        ]
    }

    /// When the next bulk operation takes effect.
    private func nextJob() async throws(ControlError) -> Timestamp? {
        try await page.send(ListJobs(app: app)).first { $0.state != .done }?.effectiveDate
    }

    private func event(of account: Account, _ now: Timestamp) -> [PageValue] {
        guard let event = page.shop.upcomingEvents(to: account) else { return [] }
        let time = Words.time(event.instant, from: now)
        return [
            ["label": "Next event", "time": time, "customer": account.customer, "event": Self.words(event.kind)]
        ]
    }

    private func events(_ events: [UpcomingEventInfo], _ now: Timestamp) -> [PageValue] {
        events.enumerated().map { index, event in
            [
                "label": index == 0 ? "Next event" : "Then", "time": Words.time(event.date, from: now),
                "customer": event.customer, "event": Self.words(event.event),
                "link": page.link(toCustomer: event.customer, of: app),
            ]
        }
    }

    /// The predicate of a sentence about the customer: `ann renews`.
    private static func words(_ event: UpcomingEventKind?) -> String {
        switch event {
        case .priceNotice?: "is notified of a price increase"
        case .renewal?: "renews"
        case .endOfPeriod?: "reaches the end of the period"
        case .endOfGrace?: "reaches the end of the grace period"
        case .endOfRetry?: "reaches the end of billing retry"
        case .refundDecision?: "gets a refund decision"
        case nil: "has an event"
        }
    }

    /// The mode of a clock: `Frozen`. A clock at the speed of real time differs from real time by its distance.
    static func words(_ clock: ClockInfo, _ wallClock: Timestamp) -> String {
        words(clock.mode, clock.speed, clock.now, wallClock)
    }

    static func words(_ mode: ClockMode, _ speed: Int?, _ clock: Timestamp, _ wallClock: Timestamp) -> String {
        guard mode == .running, speed ?? 1 == 1 else { return words(mode, speed) }
        let (now, real) = (clock.milliseconds, wallClock.milliseconds)
        let minute: Int64 = 60_000
        // The clock was read before the wall clock, so seconds are of no use.
        guard abs(now - real) >= minute else { return words(.real, nil) }
        let length = Words.length(from: real / minute * minute, to: now / minute * minute)
        return "\(length) \(now > real ? "ahead of" : "behind") real time"
    }

    /// The mode of a clock, without its distance from real time.
    static func words(_ mode: ClockMode, _ speed: Int?) -> String {
        switch mode {
        case .frozen: "Frozen"
        case .running: "Speed: \(speed ?? 1) × real time"
        case .real: "Real time"
        }
    }

    // MARK: Forms

    /// The forms for the clock's current mode.
    private func forms(_ clock: ClockInfo, hasNext: Bool) -> [PageValue] {
        func advance(
            _ label: String,
            _ name: String,
            by length: String? = nil,
            toNextEvent: Bool? = nil,
            _ fields: [FormField] = []
        ) -> PageValue {
            let request = AdvanceClock(app: app, clock: own, by: length, toNextEvent: toNextEvent)
            return page.form(request, label, fields, name: "\(name)-\(id)")
        }
        func set(_ label: String, _ name: String, _ mode: ClockMode, speed: Int? = nil, _ fields: [FormField] = [])
            -> PageValue
        {
            let request = SetClock(app: app, clock: own, mode: mode, speed: speed)
            return page.form(request, label, fields, name: "\(name)-\(id)")
        }
        // No one can set a clock back.
        let isAhead = clock.now > page.shop.wallClock()
        let real = clock.mode == .real || isAhead ? [] : [set("Switch to real time", "real", .real)]
        if page.shop.settings.guards(app.environment) { return real }
        let by = FormField("by", "Advance by", hint: "1h, 3d, 2w, 1mo, 1y")
        var forms = [
            advance("Advance", "by", by: "1mo", [by]),
            advance("Advance to this date", "to", [.init("to", "Date (UTC)", .instant)]),
            set("Run at this speed", "run", .running, speed: 3_600, [.init("speed", "Speed (× real time)")]),
        ]
        if hasNext { forms.insert(advance("Advance to next event", "next", toNextEvent: true), at: 1) }
        if clock.mode != .frozen { forms.append(set("Freeze", "freeze", .frozen)) }
        return forms + real
    }
}
