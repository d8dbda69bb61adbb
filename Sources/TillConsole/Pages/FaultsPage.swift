import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// Fault rules and their hits.
    static let faults = ConsolePage(
        path: "/console/faults",
        template: Template("faults", PackageResources.faults_mustache)
    ) { page in
        let all = try await page.send(ListFaults())
        let part = ShownPart(all, by: \.id, page, path: "/console/faults")
        let kind = FaultKindForm.of(page.value("kind").flatMap(FaultKind.init) ?? .error)
        let apps = try await Choices.apps(page, first: [("", "All")])
        return PageContent(
            "Faults",
            [
                "faults": .list(part.elements.map { Faults.value($0, page) }), "next": part.next,
                "hasFaults": .flag(!all.isEmpty),
                "removeAll": all.isEmpty
                    ? .nothing
                    : ActionForm(RemoveFaults(), "Delete all \(all.count) rules", isDestructive: true).value(page),
                "groups": .list([
                    Faults.kinds("API calls", FaultKindForm.all.filter { !$0.isOfNotifications }, kind, page),
                    Faults.kinds("Notifications", FaultKindForm.all.filter(\.isOfNotifications), kind, page),
                ]),
                "kind": .text(kind.name), "words": .text(kind.words),
                "add": kind.form(apps: apps).value(page),
            ]
        )
    }
}

/// The parts of the faults page.
private enum Faults {
    static func value(_ fault: FaultRuleInfo, _ page: PageRequest) -> PageValue {
        let kind = FaultKindForm.of(fault.kind)
        let remove = ActionForm(RemoveFaults(faultId: fault.id), "Delete", name: fault.id, isDestructive: true)
        return [
            "id": .text(fault.id), "kind": .text(kind.name), "code": PageValue(fault.code.map { String($0) }),
            "details": .list(details(fault).map { .text($0) }),
            "everything": .text(kind.isOfNotifications ? "all notifications" : "all API calls"),
            "scope": .list(scope(fault)), "chance": PageValue(fault.percent.map { "\($0) %" }),
            "until": Words.time(fault.until), "seed": PageValue(fault.seed),
            "hits": PageValue(fault.struck), "seen": PageValue(fault.seen),
            "limit": PageValue(fault.limit.map { String($0) }), "remove": remove.value(page),
        ]
    }

    private static func details(_ fault: FaultRuleInfo) -> [String] {
        var words: [String] = []
        if let wait = fault.milliseconds { words.append(Words.exactly(Int64(wait))) }
        if let spread = fault.spread { words.append("plus up to \(Words.exactly(Int64(spread)))") }
        if let seconds = fault.retryAfter { words.append("Retry-After \(seconds)") }
        if fault.kind == .rateLimit { words.append(fault.perHour.map { "\($0) calls per hour" } ?? "Apple’s limits") }
        return words
    }

    private static func scope(_ fault: FaultRuleInfo) -> [PageValue] {
        let limits: [(name: String, value: String?)] = [
            ("environment", fault.environment?.rawValue), ("app", fault.bundleId), ("route", fault.route),
            ("customer", fault.customer),
        ]
        return limits.compactMap { name, value in value.map { ["name": .text(name), "value": .text($0)] } }
    }

    static func kinds(_ name: String, _ kinds: [FaultKindForm], _ chosen: FaultKindForm, _ page: PageRequest)
        -> PageValue
    {
        [
            "name": .text(name),
            "kinds": .list(
                kinds.map { kind in
                    let link = page.link("/console/faults", query: [(name: "kind", value: kind.kind.rawValue)])
                    return [
                        "name": .text(kind.name), "link": PageValue(link.map { $0 + "#add" }),
                        "isChosen": .flag(kind.kind == chosen.kind),
                    ]
                }
            ),
        ]
    }
}

extension Words {
    /// `500 ms`, `1.5 s`, `1 minute`.
    static func exactly(_ milliseconds: Int64) -> String {
        milliseconds % 1_000 == 0 && milliseconds > 0 ? duration(milliseconds) : "\(milliseconds) ms"
    }
}
