import TillServer
import TillShop

extension ConsolePage {
    /// Apps with their environments, what goes on in them, and what was refused.
    static let overview = ConsolePage(
        path: "/console/",
        template: Template("overview", PackageResources.overview_mustache)
    ) { page in
        let all = try await page.ask("listApps")["apps"]?.elements ?? []
        let ids = all.compactMap { $0["bundleId"]?.text }
        let start = page.value("after").flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let shown = all.dropFirst(start).prefix(Overview.mostApps)
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
                "refusals": .list(try await Overview.refusals(page)),
                "allRefusals": PageValue(page.link("/console/requests")),
                "makeApp": try await Overview.form(page),
            ]
        )
    }
}

/// The parts of the overview.
private enum Overview {
    /// Each costs some reads, so that a page has not too many.
    static let mostApps = 10

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
                "clock": try await ClockCard(page, bundleID: id, environment: environment).value(most: 3),
                "failing": .list(try await Deliveries.failing(page, scope, most: 3)),
                "isTold": .flag(try await Deliveries.hasEndpoints(page, scope)),
            ])
        }
        return ["bundleId": .text(id), "name": PageValue(app["name"]?.text), "environments": .list(environments)]
    }

    static func refusals(_ page: PageRequest) async throws -> [PageValue] {
        let entries = try await page.ask("listJournal", query: [(name: "limit", value: "8")])["entries"]?.elements ?? []
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
        var fields: [ActForm.Field] = [
            .init("bundleId", "Bundle identifier", hint: "com.example.app"), .init("name", "Name"),
        ]
        let teams = try await page.ask("listTeams")["teams"]?.elements ?? []
        if teams.count > 1 {
            let choices = teams.map { (value: $0["issuerId"]?.text ?? "", name: $0["name"]?.text ?? "") }
            fields.append(.init("issuerId", "Team", .choice(choices)))
        }
        return ActForm(
            "createApp",
            "Make the app",
            fields,
            file: "What it sells: a .storekit file of Xcode's",
            needsFile: false
        )
        .value(page)
    }
}

/// Deliveries that were tried and have not arrived.
enum Deliveries {
    /// Whether anybody is told at all.
    static func hasEndpoints(_ page: PageRequest, _ scope: [String: String]) async throws -> Bool {
        try await page.ask("listEndpoints", scope)["endpoints"]?.elements.isEmpty == false
    }

    /// The newest of them of an app's environment.
    static func failing(_ page: PageRequest, _ scope: [String: String], most: Int) async throws -> [PageValue] {
        let query = [(name: "failed", value: "true"), (name: "limit", value: String(most))]
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
