import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// Apps with their environments, and the latest rejected requests.
    static let overview = ConsolePage(
        path: "/console/",
        template: Template("overview", PackageResources.overview_mustache)
    ) { page in
        let all = try await page.send(ListApps())
        let ids = all.map(\.bundleId)
        let start = page.value("after").flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let shown = all.dropFirst(start).prefix(Overview.maxApps)
        var apps: [PageValue] = []
        for app in shown { apps.append(try await Overview.value(of: app, page)) }
        let last = shown.last?.bundleId
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

    static func value(of app: AppInfo, _ page: PageRequest) async throws -> PageValue {
        let id = app.bundleId
        var environments: [PageValue] = []
        for environment in [StoreEnvironment.sandbox, .production] {
            let app = AppEnvironment(id, environment)
            let endpoints = try await page.send(ListEndpoints(app: app))
            let paused = endpoints.filter { $0.paused == true }.map(\.name)
            environments.append([
                "name": .text(environment.rawValue), "id": .text("\(id)-\(environment.rawValue)"),
                "link": PageValue(page.link(toEnvironment: app)),
                "customers": PageValue(page.link(ConsolePage.customersPath, PageRequest.parameters(of: app))),
                "clock": try await ClockCard(page, app).value(limit: 3),
                "failing": .list(try await Deliveries.failing(page, app, limit: 3)),
                "hasEndpoints": .flag(!endpoints.isEmpty),
                "paused": PageValue(paused.isEmpty ? nil : paused.joined(separator: ", ")),
                "endpointLink": PageValue(Deliveries.endpointLink(page, app)),
            ])
        }
        return ["bundleId": .text(id), "name": .text(app.name), "environments": .list(environments)]
    }

    static func rejectedRequests(_ page: PageRequest) async throws -> [PageValue] {
        try await page.send(ListRequests(limit: 8)).entries.map { RequestWords.value(of: $0, page) }
    }

    static func form(_ page: PageRequest) async throws -> PageValue {
        var fields: [ActionForm.Field] = [
            .init("bundleId", "Bundle ID", hint: "com.example.app"), .init("name", "Name"),
        ]
        let teams = try await page.send(ListTeams())
        if teams.count > 1 {
            let choices = teams.map { (value: $0.issuerId, name: $0.name) }
            fields.append(.init("issuerId", "Team", .choice(choices)))
        }
        return ActionForm(
            CreateApp(bundleId: ""),
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
    static func hasEndpoints(_ page: PageRequest, _ app: AppEnvironment) async throws -> Bool {
        try await !page.send(ListEndpoints(app: app)).isEmpty
    }

    /// The URL of the form that sets an endpoint.
    static func endpointLink(_ page: PageRequest, _ app: AppEnvironment) -> String? {
        page.link(toEnvironment: app).map { $0 + "#endpoints-title" }
    }

    /// The newest failing deliveries of an app's environment.
    static func failing(_ page: PageRequest, _ app: AppEnvironment, limit: Int) async throws -> [PageValue] {
        let list = try await page.send(ListNotifications(app: app, failed: true, limit: limit))
        return list.notifications.map { notification in
            let delivery = notification.deliveries.first { !$0.isDelivered && !$0.attempts.isEmpty }
            let attempts = delivery?.attempts ?? []
            return [
                "words": .text(NotificationWords.words(notification)), "customer": PageValue(notification.customer),
                "link": PageValue(page.link(toNotification: notification.notificationUUID, of: app)),
                "endpoint": PageValue(delivery?.endpoint),
                "attempts": .text(attempts.count == 1 ? "1 attempt" : "\(attempts.count) attempts"),
                "result": PageValue(attempts.last.map { Words.sentence($0.sendAttemptResult.rawValue) }),
                "status": PageValue(attempts.last?.status.map { String($0) }),
                "next": Words.time(delivery?.nextAttemptDate),
            ]
        }
    }
}
