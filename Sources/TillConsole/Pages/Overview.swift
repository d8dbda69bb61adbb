import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// Apps with their environments, and the latest rejected requests.
    static let overview = ConsolePage(
        path: "/console/",
        template: Template("overview", PackageResources.overview_mustache)
    ) { page in
        let all = try await page.ask("listApps")["apps"]?.elements ?? []
        let ids = all.compactMap { $0["bundleId"]?.text }
        let start = page.value("after").flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let shown = all.dropFirst(start).prefix(Overview.maxApps)
        var apps: [PageValue] = []
        for app in shown { apps.append(try await Overview.value(of: app, page)) }
        let last = shown.last?["bundleId"]?.text
        let hasMore = start + shown.count < all.count
        return PageContent(
            "Overview",
            [
                "apps": .list(apps), "hasApps": .flag(!all.isEmpty),
                "next": PageValue(
                    hasMore ? page.link("/console/", query: [(name: "after", value: last ?? "")]) : nil
                ),
                "rejected": .list(try await Overview.rejectedRequests(page)),
                "allRequests": PageValue(page.link("/console/requests")),
                "createApp": try await Overview.form(page),
            ]
        )
    }
}

/// The parts of the overview.
private enum Overview {
    /// Each app costs several reads, so a page shows only a few apps.
    static let maxApps = 10

    static func value(of app: JSONTree, _ page: PageRequest) async throws -> PageValue {
        let id = app["bundleId"]?.text ?? ""
        var environments: [PageValue] = []
        for environment in ["sandbox", "production"] {
            let scope = ["bundleId": id, "environment": environment]
            let path = "/console/apps/{bundleId}/{environment}/"
            environments.append([
                "name": .text(environment), "id": .text("\(id)-\(environment)"),
                "link": PageValue(page.link(path, scope)),
                "customers": PageValue(page.link(path + "customers", scope)),
                "clock": try await ClockCard(page, bundleID: id, environment: environment).value(limit: 3),
                "failing": .list(try await Deliveries.failing(page, scope, limit: 3)),
                "hasEndpoints": .flag(try await Deliveries.hasEndpoints(page, scope)),
                "endpointLink": PageValue(Deliveries.endpointLink(page, scope)),
            ])
        }
        return ["bundleId": .text(id), "name": PageValue(app["name"]?.text), "environments": .list(environments)]
    }

    static func rejectedRequests(_ page: PageRequest) async throws -> [PageValue] {
        let entries = try await page.ask("listRequests", query: [(name: "limit", value: "8")])["entries"]?.elements ?? []
        return entries.map { entry in
            let id = entry["requestId"]?.text ?? ""
            return [
                "time": Words.time(entry["date"]?.number), "method": PageValue(entry["method"]?.text),
                "path": PageValue(entry["path"]?.text), "status": PageValue(entry["status"]?.text),
                "explanation": PageValue(entry["explanation"]?.text),
                "link": PageValue(page.link("/console/requests/{id}", ["id": id])),
            ]
        }
    }

    static func form(_ page: PageRequest) async throws -> PageValue {
        var fields: [ActionForm.Field] = [
            .init("bundleId", "Bundle ID", hint: "com.example.app"), .init("name", "Name"),
        ]
        let teams = try await page.ask("listTeams")["teams"]?.elements ?? []
        if teams.count > 1 {
            let choices = teams.map { (value: $0["issuerId"]?.text ?? "", name: $0["name"]?.text ?? "") }
            fields.append(.init("issuerId", "Team", .choice(choices)))
        }
        return ActionForm(
            "createApp",
            "Create app",
            fields,
            file: "Xcode .storekit file with the products (optional)",
            needsFile: false
        )
        .value(page)
    }
}

/// Deliveries with failed attempts.
enum Deliveries {
    /// Whether the app's environment has an endpoint.
    static func hasEndpoints(_ page: PageRequest, _ scope: [String: String]) async throws -> Bool {
        try await page.ask("listEndpoints", scope)["endpoints"]?.elements.isEmpty == false
    }

    /// The URL of the form that sets an endpoint.
    static func endpointLink(_ page: PageRequest, _ scope: [String: String]) -> String? {
        page.link("/console/apps/{bundleId}/{environment}/", scope).map { $0 + "#endpoints-title" }
    }

    /// The newest failing deliveries of an app's environment.
    static func failing(_ page: PageRequest, _ scope: [String: String], limit: Int) async throws -> [PageValue] {
        let query = [(name: "failed", value: "true"), (name: "limit", value: String(limit))]
        let answer = try await page.ask("listNotifications", scope, query: query)
        let path = "/console/apps/{bundleId}/{environment}/notifications/{notificationUUID}"
        return (answer["notifications"]?.elements ?? []).map { entry in
            let delivery = entry["deliveries"]?.elements.first {
                $0["isDelivered"]?.isTrue != true && $0["attempts"]?.elements.isEmpty == false
            }
            let attempts = delivery?["attempts"]?.elements ?? []
            let uuid = entry["notificationUUID"]?.text ?? ""
            let words = [entry["notificationType"]?.text, entry["subtype"]?.text].compactMap(\.self)
            return [
                "words": .text(words.joined(separator: "/")), "customer": PageValue(entry["customer"]?.text),
                "link": PageValue(page.link(path, scope.merging(["notificationUUID": uuid]) { $1 })),
                "endpoint": PageValue(delivery?["endpoint"]?.text),
                "attempts": .text(attempts.count == 1 ? "1 attempt" : "\(attempts.count) attempts"),
                "result": PageValue(attempts.last?["sendAttemptResult"]?.text.map(Words.sentence)),
                "status": PageValue(attempts.last?["status"]?.text),
                "next": Words.time(delivery?["nextAttemptDate"]?.number),
            ]
        }
    }
}
