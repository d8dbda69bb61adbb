import HTTPTypes
import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// The results of a search. A single exact result leads straight to its page.
    static let search = ConsolePage("/console/search", "search", isLive: false, documentation: [.control]) { page in
        guard let value = page.value("q") else { return ["title": "Search", "showsHelp": true] }
        let asked: PageValue = ["title": "Search", "isAsked": true, "searched": value]
        do {
            let found = try await page.send(
                Search(value: value, after: page.value("after"), limit: ListLimit.elements)
            )
            // The operation finds objects of apps; the names of the apps themselves are few.
            let isFirst = page.value("after") == nil
            let apps = isFirst ? FoundApps(try await page.send(ListApps()), value, page) : FoundApps()
            return asked.with(SearchGroups.value(of: found, apps, value, page))
        } catch let error as ControlError where error.status == .badRequest {
            return asked.with(["error": error.message, "showsHelp": true])
        }
    }
}

/// The apps whose bundle ID or name contains the searched text, regardless of case.
private struct FoundApps {
    /// The group of results; empty without any.
    var groups: [PageValue] = []
    /// The link of the app with exactly this bundle ID.
    var exact: [String?] = []

    init() {}

    init(_ apps: [AppInfo], _ value: String, _ page: PageRequest) {
        func isFound(_ text: String) -> Bool { text.lowercased().contains(value.lowercased()) }
        func link(_ app: AppInfo) -> String { page.link(toEnvironment: AppEnvironment(app.bundleId)) }
        let found = OverviewRow.sorted(apps.filter { isFound($0.bundleId) || isFound($0.name) })
        guard !found.isEmpty else { return }
        let rows = found.prefix(ListLimit.elements).listed { app in
            ["name": app.name, "link": link(app), "app": app.bundleId]
        }
        groups = [["kind": "app", "name": "Apps", "rows": rows]]
        exact = found.filter { $0.bundleId == value }.map(link)
    }
}

/// Search results in groups, by what was found.
private enum SearchGroups {
    static func value(of found: SearchResults, _ apps: FoundApps, _ value: String, _ page: PageRequest) -> PageValue {
        let groups =
            apps.groups
            + SearchMatchKind.allCases.compactMap { kind -> PageValue? in
                let matches = found.matches.filter { $0.kind == kind }
                guard !matches.isEmpty else { return nil }
                return ["kind": kind.rawValue, "name": name(of: kind), "rows": matches.listed { row(of: $0, page) }]
            }
        let query = found.next.map { [(name: "q", value: value), (name: "after", value: $0)] }
        let isOver = groups.isEmpty && found.next == nil
        return [
            "groups": groups, "isEmpty": groups.isEmpty, "showsHelp": isOver,
            "next": query.map { page.linkToSelf($0) }, "redirect": target(of: found, apps, page),
        ]
    }

    /// The page of the only exact result; nil if there are none or several.
    private static func target(of found: SearchResults, _ apps: FoundApps, _ page: PageRequest) -> String? {
        guard page.value("after") == nil else { return nil }
        let targets = Set(found.matches.filter(\.isExact).map { link(to: $0, page) } + apps.exact)
        return targets.count == 1 ? targets.first ?? nil : nil
    }

    private static func row(of match: SearchMatch, _ page: PageRequest) -> PageValue {
        let name = match.requestId ?? match.notificationUUID ?? match.transactionId ?? match.customer
        return [
            "name": name, "link": link(to: match, page), "app": match.bundleId,
            "environment": match.environment.rawValue, "details": match.notificationType ?? match.productId,
            "customer": name == match.customer ? nil : match.customer, "date": match.date,
        ]
    }

    private static func link(to match: SearchMatch, _ page: PageRequest) -> String? {
        if let id = match.requestId { return page.link(.request, ["id": id]) }
        let app = match.bundleId.map { AppEnvironment($0, match.environment) }
        if let uuid = match.notificationUUID { return page.link(.notification, ["notificationUUID": uuid], of: app) }
        if let id = match.transactionId { return page.link(.transaction, ["transactionId": id], of: app) }
        return match.customer.map { page.link(toCustomer: $0, of: app) }
    }

    private static func name(of kind: SearchMatchKind) -> String {
        switch kind {
        case .customer: "Customers"
        case .originalTransaction: "Original transactions"
        case .transaction: "Transactions"
        case .order: "Orders"
        case .appAccountToken: "App account tokens"
        case .notification: "Notifications"
        case .request: "Requests"
        }
    }
}
