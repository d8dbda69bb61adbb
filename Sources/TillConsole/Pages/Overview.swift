import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// Apps with their environments, and the latest rejected requests.
    static let overview = ConsolePage("/console/", "overview", menu: "Overview") { page in
        let all = try await page.send(ListApps())
        var fields: [FormField] = [.init("bundleId", "Bundle ID", hint: "com.example.app"), .init("name", "Name")]
        let teams = try await page.send(ListTeams())
        if teams.count > 1 { fields.append(.init("issuerId", "Team", .choice(teams.map { ($0.issuerId, $0.name) }))) }
        // Each app costs several reads, so a page shows only a few apps.
        let apps = try await page.table(of: all, by: \.bundleId, limit: 10) { try await value(of: $0, page) }
        return apps.with([
            "rejected": try await page.send(ListRequests(limit: 8)).entries.map { value(of: $0, page) },
            "allRequests": page.link(.requests),
            "createApp": page.form(
                CreateApp(bundleId: ""),
                "Create app",
                fields,
                file: "Xcode .storekit file with the products (optional)",
                needsFile: false
            ),
        ])
    }

    private static func value(of app: AppInfo, _ page: PageRequest) async throws -> PageValue {
        let id = app.bundleId
        var environments: [PageValue] = []
        for environment in [StoreEnvironment.sandbox, .production] {
            let app = AppEnvironment(id, environment)
            environments.append(
                try await failingDeliveries(page, app, limit: 3).with([
                    "name": environment.rawValue, "id": "\(id)-\(environment.rawValue)",
                    "link": page.link(toEnvironment: app),
                    "clock": try await ClockCard(page: page, app: app).value(limit: 3),
                ])
            )
        }
        return ["bundleId": id, "name": app.name, "environments": environments]
    }
}
