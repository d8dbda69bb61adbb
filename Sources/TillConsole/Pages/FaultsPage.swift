import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// Fault rules and their hits.
    static let faults = ConsolePage(
        path: "/console/faults",
        template: Template("faults", PackageResources.faults_mustache)
    ) { page in
        let all = try await page.ask("listFaults")["faults"]?.elements ?? []
        let part = ShownPart(all, by: "id", page, path: "/console/faults")
        let kind = FaultKindForm.named(page.value("kind")) ?? FaultKindForm.all[0]
        let apps = try await Choices.apps(page, first: [("", "All")])
        return PageContent(
            "Faults",
            [
                "faults": .list(part.elements.map { Faults.value($0, page) }), "next": part.next,
                "hasFaults": .flag(!all.isEmpty),
                "removeAll": all.isEmpty
                    ? .nothing
                    : ActionForm("removeFaults", "Delete all \(all.count) rules", isDestructive: true).value(page),
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
    static func value(_ fault: JSONTree, _ page: PageRequest) -> PageValue {
        let id = fault["id"]?.text ?? ""
        let word = fault["kind"]?.text ?? ""
        let kind = FaultKindForm.named(word)
        let remove = ActionForm("removeFault", "Delete", parameters: ["faultId": id], name: id, isDestructive: true)
        return [
            "id": .text(id), "kind": .text(kind?.name ?? Words.sentence(word)), "code": PageValue(fault["code"]?.text),
            "details": .list(details(fault).map { .text($0) }),
            "everything": .text(kind?.isOfNotifications == true ? "all notifications" : "all API calls"),
            "scope": .list(scope(fault)), "chance": PageValue(fault["percent"]?.text.map { "\($0) %" }),
            "until": Words.time(fault["until"]?.number), "seed": PageValue(fault["seed"]?.text),
            "hits": PageValue(fault["struck"]?.text), "seen": PageValue(fault["seen"]?.text),
            "limit": PageValue(fault["limit"]?.text), "remove": remove.value(page),
        ]
    }

    private static func details(_ fault: JSONTree) -> [String] {
        var words: [String] = []
        if let wait = fault["milliseconds"]?.number { words.append(Words.exactly(wait)) }
        if let spread = fault["spread"]?.number { words.append("plus up to \(Words.exactly(spread))") }
        if let seconds = fault["retryAfter"]?.text { words.append("Retry-After \(seconds)") }
        if fault["kind"]?.text == "rateLimit" {
            words.append(fault["perHour"]?.text.map { "\($0) calls per hour" } ?? "Apple’s limits")
        }
        return words
    }

    private static func scope(_ fault: JSONTree) -> [PageValue] {
        [("realm", "environment"), ("bundleId", "app"), ("route", "route"), ("customer", "customer")].compactMap {
            key,
            name in fault[key]?.text.map { ["name": .text(name), "value": .text($0)] }
        }
    }

    static func kinds(_ name: String, _ kinds: [FaultKindForm], _ chosen: FaultKindForm, _ page: PageRequest)
        -> PageValue
    {
        [
            "name": .text(name),
            "kinds": .list(
                kinds.map { kind in
                    let link = page.link("/console/faults", query: [(name: "kind", value: kind.word)])
                    return [
                        "name": .text(kind.name), "link": PageValue(link.map { $0 + "#add" }),
                        "isChosen": .flag(kind.word == chosen.word),
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
