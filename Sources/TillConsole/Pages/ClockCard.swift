import TillCore
import TillServer
import TillShop

/// A clock as `{{>clock}}` shows it: what it shows, how it goes, what comes next, and what moves it.
struct ClockCard: Sendable {
    let page: PageRequest
    let bundleID: String
    let environment: String
    /// A clock of customers' own; nil is that of the app's environment.
    let own: String?
    /// Of whom alone it says what comes next; nil says it of everybody.
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

    /// A word for ids on the page.
    var id: String { [bundleID, environment, own].compactMap(\.self).joined(separator: "-") }

    /// - Parameters:
    ///   - most: how much of what is to come is named.
    ///   - isOpen: whether what moves it is shown at once.
    func value(most: Int, isOpen: Bool = false) async throws(ControlError) -> PageValue {
        let clock = try await page.ask(own == nil ? "getClock" : "getOwnClock", parameters)
        let pendingAdvance = try await page.ask(own == nil ? "getLeap" : "getOwnLeap", parameters)
        let query = [(name: "limit", value: String(most))] + (own.map { [(name: "clock", value: $0)] } ?? [])
        let coming = try await page.ask("listComing", parameters, query: query)
        let now = clock["now"]?.number ?? 0
        let job = own == nil ? try await nextJob() : nil
        let delivery = coming["nextAttemptDate"]?.number
        let hasNext = coming["coming"]?.elements.isEmpty == false || job != nil || (delivery ?? now) > now
        return [
            "id": .text(id), "own": PageValue(own), "now": Words.time(now), "mode": PageValue(clock["mode"]?.text),
            "words": .text(Self.words(clock)), "isRunning": .flag(clock["mode"]?.text == "running"),
            "isOpen": .flag(isOpen), "leap": Self.value(ofAdvance: pendingAdvance),
            "coming": .list(
                customer.map { own(event: $0, now) } ?? coming["coming"]?.elements.map { value(of: $0, now) } ?? []
            ),
            "isOfOne": .flag(customer != nil), "job": Words.time(job, from: now),
            "delivery": Self.value(ofDelivery: delivery, now),
            "forms": .list(forms(clock, hasNext: hasNext).map { $0.value(page) }),
        ]
    }

    /// When the next act that concerns many accounts takes effect.
    private func nextJob() async throws(ControlError) -> Int64? {
        let jobs = try await page.ask("listJobs", parameters)["jobs"]?.elements ?? []
        return jobs.first { $0["state"]?.text != "done" }?["effectiveDate"]?.number
    }

    private func own(event account: Account, _ now: Int64) -> [PageValue] {
        guard let event = page.shop.coming(to: account) else { return [] }
        return [
            [
                "time": Words.time(event.instant.milliseconds, from: now), "customer": .nothing, "link": .nothing,
                "event": .text(Self.words(event.kind.rawValue)),
            ]
        ]
    }

    private static func words(_ event: String?) -> String {
        switch event {
        // In production it is a day before the period begins.
        case "RENEWAL": "Charge for a renewal"
        case let event?: Words.sentence(event)
        case nil: "Something"
        }
    }

    /// What was due before now waits for an endpoint, not for the clock.
    private static func value(ofDelivery instant: Int64?, _ now: Int64) -> PageValue {
        guard let instant else { return .nothing }
        return ["time": Words.time(instant, from: now), "isOverdue": .flag(instant < now)]
    }

    private static func words(_ clock: JSONTree) -> String {
        switch clock["mode"]?.text {
        case "frozen": "stands still"
        case "running" where clock["speed"]?.number == 1: "runs as fast as the wall's"
        case "running": "runs \(clock["speed"]?.text ?? "1") times as fast"
        default: "as the wall's"
        }
    }

    private static func value(ofAdvance pendingAdvance: JSONTree) -> PageValue {
        guard pendingAdvance["isUnderWay"]?.isTrue == true else { return .nothing }
        return [
            "from": Words.time(pendingAdvance["from"]?.number), "to": Words.time(pendingAdvance["to"]?.number),
            "accounts": PageValue(pendingAdvance["accounts"]?.text),
            "notifications": PageValue(pendingAdvance["notifications"]?.text),
        ]
    }

    private func value(of event: JSONTree, _ now: Int64) -> PageValue {
        let customer = event["customer"]?.text ?? ""
        let more = ["bundleId": bundleID, "environment": environment, "customer": customer]
        return [
            "time": Words.time(event["date"]?.number, from: now), "customer": .text(customer),
            "event": .text(Self.words(event["event"]?.text)),
            "link": PageValue(page.link("/console/apps/{bundleId}/{environment}/customers/{customer}", more)),
        ]
    }

    /// What can be done with a clock as it goes now.
    private func forms(_ clock: JSONTree, hasNext: Bool) -> [ActForm] {
        let present = clock["mode"]?.text
        let isAhead = (clock["now"]?.number ?? 0) > page.shop.wallClock().milliseconds
        let settle = ActForm.Field("settle", "Deliver on the way")
        let (set, advance) = own == nil ? ("setClock", "advanceClock") : ("setOwnClock", "advanceOwnClock")
        func form(_ verb: String, _ label: String, _ name: String, _ fields: [ActForm.Field]) -> ActForm {
            ActForm(verb, label, fields, parameters: parameters, name: "\(name)-\(id)")
        }
        func mode(_ mode: String) -> [ActForm.Field] { [.init("mode", "", .hidden, value: mode)] }
        var forms = [
            form(advance, "Advance", "by", [.init("by", "By", value: "1mo", hint: "1h, 3d, 2w, 1mo, 1y"), settle]),
            form(advance, "Leap", "to", [.init("to", "To (UTC)", .instant), settle]),
            form(set, "Run", "run", mode("running") + [.init("speed", "Times as fast", value: "3600")]),
        ]
        if hasNext {
            let next = form(advance, "To the next event", "next", [.init("toNextEvent", "", .hidden, value: "true")])
            forms.insert(next, at: 1)
        }
        if present != "frozen" { forms.append(form(set, "Freeze", "freeze", mode("frozen"))) }
        // A clock never goes back.
        if present != "real", !isAhead { forms.append(form(set, "As the wall's", "real", mode("real"))) }
        return forms
    }
}
