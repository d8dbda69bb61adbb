import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// Fault rules and their hits.
    static let faults = ConsolePage(
        "/console/faults",
        "faults",
        menu: "Faults",
        documentation: [.faults, .errors]
    ) { page in
        let all = try await page.send(ListFaults())
        let chosen = FaultKindForm.of(page.value("kind").flatMap(FaultKind.init) ?? .error)
        let groups = [
            kinds("API calls", FaultKindForm.all.filter { !$0.isOfNotifications }, chosen, page),
            kinds("Notifications", FaultKindForm.all.filter(\.isOfNotifications), chosen, page),
        ]
        return try await page.table(of: all, by: \.id) { row(of: $0, page) }.with([
            "removeAll": all.isEmpty
                ? nil : page.form(RemoveFaults(), "Delete all rules", isDestructive: true),
            "groups": groups, "kind": chosen.name, "words": chosen.words,
            "add": page.form(
                AddFault(kind: chosen.kind),
                "Add rule",
                chosen.fields(apps: try await page.apps(first: [("", "All")])),
                name: chosen.kind.rawValue
            ),
        ])
    }

    private static func row(of fault: FaultRuleInfo, _ page: PageRequest) -> PageValue {
        let kind = FaultKindForm.of(fault.kind)
        let limits: [(name: String, value: String?)] = [
            ("environment", fault.environment?.rawValue), ("app", fault.bundleId), ("route", fault.route),
            ("endpoint", fault.endpoint), ("customer", fault.customer),
        ]
        return [
            "id": fault.id, "kind": kind.name, "code": fault.code, "details": details(fault),
            "everything": kind.isOfNotifications ? "all notifications" : "all API calls",
            "scope": limits.filter { $0.value != nil }.listed { ["name": $0.name, "value": $0.value] },
            "chance": fault.percent.map { "\($0) %" }, "until": fault.until, "seed": fault.seed, "hits": fault.struck,
            "seen": fault.seen, "limit": fault.limit.map { Words.count($0, "hit") },
            "remove": page.form(RemoveFaults(faultId: fault.id), "Delete", name: fault.id, isDestructive: true),
        ]
    }

    private static func details(_ fault: FaultRuleInfo) -> [String] {
        [
            fault.milliseconds.map { Words.exactly(Int64($0)) },
            fault.spread.map { "plus up to \(Words.exactly(Int64($0)))" },
            fault.retryAfter.map { "Retry-After \($0)" },
            fault.kind == .rateLimit ? fault.perHour.map { "\($0) calls per hour" } ?? "Apple’s limits" : nil,
        ].compactMap(\.self)
    }

    private static func kinds(
        _ name: String,
        _ kinds: [FaultKindForm],
        _ chosen: FaultKindForm,
        _ page: PageRequest
    ) -> PageValue {
        let links = kinds.listed {
            let link = page.linkToSelf([(name: "kind", value: $0.kind.rawValue)]) + "#add"
            return ["name": $0.name, "link": link, "isChosen": $0.kind == chosen.kind]
        }
        return ["name": name, "kinds": links]
    }
}
