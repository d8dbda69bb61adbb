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
            return asked.with(SearchGroups.value(of: found, value, page))
        } catch let error as ControlError where error.status == .badRequest {
            return asked.with(["error": error.message, "showsHelp": true])
        }
    }
}

/// Search results in groups, by what was found.
private enum SearchGroups {
    static func value(of found: SearchResults, _ value: String, _ page: PageRequest) -> PageValue {
        let groups = SearchMatchKind.allCases.compactMap { kind -> PageValue? in
            let matches = found.matches.filter { $0.kind == kind }
            guard !matches.isEmpty else { return nil }
            return ["kind": kind.rawValue, "name": name(of: kind), "rows": matches.listed { row(of: $0, page) }]
        }
        let query = found.next.map { [(name: "q", value: value), (name: "after", value: $0)] }
        let isOver = found.matches.isEmpty && found.next == nil
        return [
            "groups": groups, "isEmpty": found.matches.isEmpty, "showsHelp": isOver,
            "next": query.map { page.linkToSelf($0) }, "redirect": target(of: found, page),
        ]
    }

    /// The page of the only exact result; nil if there are none or several.
    private static func target(of found: SearchResults, _ page: PageRequest) -> String? {
        guard page.value("after") == nil else { return nil }
        let targets = Set(found.matches.filter(\.isExact).map { link(to: $0, page) })
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
