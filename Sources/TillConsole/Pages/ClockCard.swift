import TillCore
import TillServer
import TillShop

/// A clock as `{{>clock}}` shows it: what it shows, how it goes, what comes next, and what moves it.
struct ClockCard: Sendable {
    let page: PageRequest
    let bundleID: String
    let realm: String
    /// A clock of customers' own; nil is that of the app's realm.
    let own: String?

    init(_ page: PageRequest, bundleID: String, realm: String, own: String? = nil) {
        self.page = page
        self.bundleID = bundleID
        self.realm = realm
        self.own = own
    }

    private var parameters: [String: String] {
        ["bundleId": bundleID, "realm": realm].merging(own.map { ["clock": $0] } ?? [:]) { $1 }
    }

    /// A word for ids on the page.
    var id: String { [bundleID, realm, own].compactMap(\.self).joined(separator: "-") }

    /// - Parameters:
    ///   - most: how much of what is to come is named.
    ///   - isOpen: whether what moves it is shown at once.
    func value(most: Int, isOpen: Bool = false) async throws(ControlError) -> PageValue {
        let clock = try await page.ask(own == nil ? "getClock" : "getOwnClock", parameters)
        let leap = try await page.ask(own == nil ? "getLeap" : "getOwnLeap", parameters)
        let query = [(name: "limit", value: String(most))] + (own.map { [(name: "clock", value: $0)] } ?? [])
        let coming = try await page.ask("listComing", parameters, query: query)
        let now = clock["now"]?.number ?? 0
        return [
            "id": .text(id), "own": PageValue(own), "now": Words.time(now), "mode": PageValue(clock["mode"]?.text),
            "words": .text(Self.words(clock)), "isRunning": .flag(clock["mode"]?.text == "running"),
            "isOpen": .flag(isOpen), "leap": Self.value(ofLeap: leap),
            "coming": .list(coming["coming"]?.elements.map { value(of: $0, now) } ?? []),
            "delivery": Self.value(ofDelivery: coming["nextAttemptDate"]?.number, now),
            "forms": .list(forms(clock).map { $0.value(page) }),
        ]
    }

    /// What was due before now waits for an endpoint, not for the clock.
    private static func value(ofDelivery instant: Int64?, _ now: Int64) -> PageValue {
        guard let instant else { return .nothing }
        return ["time": Words.time(instant, from: now), "isOverdue": .flag(instant < now)]
    }

    private static func words(_ clock: JSONTree) -> String {
        switch clock["mode"]?.text {
        case "frozen": "stands still"
        case "running": "runs \(clock["speed"]?.text ?? "1") times as fast"
        default: "as the wall's"
        }
    }

    private static func value(ofLeap leap: JSONTree) -> PageValue {
        guard leap["isUnderWay"]?.isTrue == true else { return .nothing }
        return [
            "from": Words.time(leap["from"]?.number), "to": Words.time(leap["to"]?.number),
            "accounts": PageValue(leap["accounts"]?.text), "notifications": PageValue(leap["notifications"]?.text),
        ]
    }

    private func value(of event: JSONTree, _ now: Int64) -> PageValue {
        let customer = event["customer"]?.text ?? ""
        let more = ["bundleId": bundleID, "realm": realm, "customer": customer]
        return [
            "time": Words.time(event["date"]?.number, from: now), "customer": .text(customer),
            "event": .text(Words.sentence(event["event"]?.text ?? "SOMETHING")),
            "link": PageValue(page.link("/console/apps/{bundleId}/{realm}/customers/{customer}", more)),
        ]
    }

    /// What can be done with a clock as it goes now.
    private func forms(_ clock: JSONTree) -> [ActForm] {
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
            form(advance, "To the next event", "next", [.init("toNextEvent", "", .hidden, value: "true")]),
            form(advance, "Leap", "to", [.init("to", "To (UTC)", .instant), settle]),
            form(set, "Run", "run", mode("running") + [.init("speed", "Times as fast", value: "3600")]),
        ]
        if present != "frozen" { forms.append(form(set, "Freeze", "freeze", mode("frozen"))) }
        // A clock never goes back.
        if present != "real", !isAhead { forms.append(form(set, "As the wall's", "real", mode("real"))) }
        return forms
    }
}
