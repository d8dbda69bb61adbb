import TillCore
import TillJSON
import TillServer
import TillShop

/// A clock, shown by `{{>clock}}`: its time and mode, upcoming events, and forms to change it.
struct ClockCard: Sendable {
    let page: PageRequest
    let bundleID: String
    let environment: String
    /// The name of a customer clock; nil for the environment's clock.
    let own: String?
    /// The customer whose upcoming events are shown; nil for the events of all customers.
    let customer: Account?

    init(_ page: PageRequest, bundleID: String, environment: String, own: String? = nil, customer: Account? = nil) {
        self.customer = customer
        self.page = page
        self.bundleID = bundleID
        self.environment = environment
        self.own = own
    }

    private var parameters: [String: String] {
        ["bundleId": bundleID, "environment": environment].merging(own.map { ["clock": $0] } ?? [:]) { $1 }
    }

    /// The part of element IDs that identifies the clock.
    var id: String { [bundleID, environment, own].compactMap(\.self).joined(separator: "-") }

    /// The title of an environment's clock: `Sandbox clock`.
    static func title(_ environment: String) -> String { "\(Words.sentence(environment)) clock" }

    /// - Parameters:
    ///   - limit: the maximum number of upcoming events to show.
    ///   - isOpen: whether the forms are unfolded.
    func value(limit: Int, isOpen: Bool = false) async throws(ControlError) -> PageValue {
        let clock = try await page.ask(own == nil ? "getClock" : "getCustomerClock", parameters)
        let advance = try await page.ask(own == nil ? "getAdvance" : "getCustomerClockAdvance", parameters)
        let query = [(name: "limit", value: String(limit))] + (own.map { [(name: "clock", value: $0)] } ?? [])
        let upcoming = try await page.ask("listUpcomingEvents", parameters, query: query)
        let now = clock["now"]?.number ?? 0
        let job = own == nil ? try await nextJob() : nil
        let delivery = upcoming["nextAttemptDate"]?.number
        let hasNext = upcoming["events"]?.elements.isEmpty == false || job != nil || (delivery ?? now) > now
        return [
            "id": .text(id), "own": PageValue(own), "title": .text(Self.title(environment)), "now": Words.time(now),
            "mode": PageValue(clock["mode"]?.text), "words": .text(Self.words(clock)),
            "isOpen": .flag(isOpen), "advance": Self.value(ofAdvance: advance),
            "upcoming": .list(customer.map { event(of: $0, now) } ?? events(upcoming["events"]?.elements ?? [], now)),
            "isOfOne": .flag(customer != nil), "job": Words.time(job, from: now),
            "delivery": Self.value(ofDelivery: delivery, now),
            "forms": .list(forms(clock, hasNext: hasNext).map { $0.value(page) }),
        ]
    }

    /// When the next bulk operation takes effect.
    private func nextJob() async throws(ControlError) -> Int64? {
        let jobs = try await page.ask("listJobs", parameters)["jobs"]?.elements ?? []
        return jobs.first { $0["state"]?.text != "done" }?["effectiveDate"]?.number
    }

    private func event(of account: Account, _ now: Int64) -> [PageValue] {
        guard let event = page.shop.upcomingEvents(to: account) else { return [] }
        return [
            [
                "label": "Next event", "time": Words.time(event.instant.milliseconds, from: now),
                "customer": .text(account.customer), "link": .nothing,
                "event": .text(Self.words(event.kind.rawValue)),
            ]
        ]
    }

    /// The predicate of a sentence about the customer: `ann renews`.
    private static func words(_ event: String?) -> String {
        switch event.flatMap({ UpcomingEventKind(rawValue: $0) }) {
        case .priceNotice?: "is notified of a price increase"
        case .renewal?: "renews"
        case .endOfPeriod?: "reaches the end of the period"
        case .endOfGrace?: "reaches the end of the grace period"
        case .endOfRetry?: "reaches the end of billing retry"
        case .refundDecision?: "gets a refund decision"
        case nil: "has an event"
        }
    }

    /// An overdue delivery waits for its endpoint, not for the clock.
    private static func value(ofDelivery instant: Int64?, _ now: Int64) -> PageValue {
        guard let instant else { return .nothing }
        return ["time": Words.time(instant, from: now), "isOverdue": .flag(instant < now)]
    }

    private static func words(_ clock: JSONTree) -> String {
        switch clock["mode"]?.text {
        case "frozen": "Frozen"
        case "running": "Speed: \(clock["speed"]?.text ?? "1") × real time"
        default: "Real time"
        }
    }

    private static func value(ofAdvance advance: JSONTree) -> PageValue {
        guard advance["isUnderWay"]?.isTrue == true else { return .nothing }
        return [
            "from": Words.time(advance["from"]?.number), "to": Words.time(advance["to"]?.number),
            "accounts": PageValue(advance["accounts"]?.text),
            "notifications": PageValue(advance["notifications"]?.text),
        ]
    }

    private func events(_ events: [JSONTree], _ now: Int64) -> [PageValue] {
        events.enumerated().map { value(of: $0.element, label: $0.offset == 0 ? "Next event" : "Then", now) }
    }

    private func value(of event: JSONTree, label: String, _ now: Int64) -> PageValue {
        let customer = event["customer"]?.text ?? ""
        let more = ["bundleId": bundleID, "environment": environment, "customer": customer]
        return [
            "label": .text(label), "time": Words.time(event["date"]?.number, from: now), "customer": .text(customer),
            "event": .text(Self.words(event["event"]?.text)),
            "link": PageValue(page.link("/console/apps/{bundleId}/{environment}/customers/{customer}", more)),
        ]
    }

    /// The forms for the clock's current mode.
    private func forms(_ clock: JSONTree, hasNext: Bool) -> [ActionForm] {
        let mode = clock["mode"]?.text
        let isAhead = (clock["now"]?.number ?? 0) > page.shop.wallClock().milliseconds
        let settle = ActionForm.Field("settle", "Wait until due notifications are delivered")
        let (set, advance) = own == nil ? ("setClock", "advanceClock") : ("setCustomerClock", "advanceCustomerClock")
        func form(_ operation: String, _ label: String, _ name: String, _ fields: [ActionForm.Field]) -> ActionForm {
            ActionForm(operation, label, fields, parameters: parameters, name: "\(name)-\(id)")
        }
        func hidden(_ mode: String) -> [ActionForm.Field] { [.init("mode", "", .hidden, value: mode)] }
        var forms = [
            form(
                advance,
                "Advance",
                "by",
                [.init("by", "Advance by", value: "1mo", hint: "1h, 3d, 2w, 1mo, 1y"), settle]
            ),
            form(advance, "Advance to this date", "to", [.init("to", "Date (UTC)", .instant), settle]),
            form(
                set,
                "Run at this speed",
                "run",
                hidden("running") + [.init("speed", "Speed (× real time)", value: "3600")]
            ),
        ]
        if hasNext {
            let next = form(
                advance,
                "Advance to next event",
                "next",
                [.init("toNextEvent", "", .hidden, value: "true")]
            )
            forms.insert(next, at: 1)
        }
        if mode != "frozen" { forms.append(form(set, "Freeze", "freeze", hidden("frozen"))) }
        // No one can set a clock back.
        if mode != "real", !isAhead { forms.append(form(set, "Switch to real time", "real", hidden("real"))) }
        return forms
    }
}
