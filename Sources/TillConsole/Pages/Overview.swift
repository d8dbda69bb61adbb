import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage

extension ConsolePage {
    /// Apps with their environments, failing deliveries and the latest rejected requests.
    static let overview = ConsolePage(
        "/console/",
        "overview",
        menu: "Overview",
        documentation: [.operating, .backend, .console]
    ) { page in
        let all = try await page.send(ListApps())
        var fields: [FormField] = [.init("bundleId", "Bundle ID", hint: "com.example.app"), .init("name", "Name")]
        let teams = try await page.send(ListTeams())
        if teams.count > 1 { fields.append(.init("issuerId", "Team", .choice(teams.map { ($0.issuerId, $0.name) }))) }
        var failing: [PageValue] = []
        let apps = try await page.table(of: all, by: \.bundleId, limit: OverviewRow.apps) { app in
            let row = OverviewRow(page: page, bundleID: app.bundleId)
            let cells = try await [row.cell(.sandbox), row.cell(.production)]
            failing += cells.flatMap { $0.failing }
            let link = page.link(toEnvironment: AppEnvironment(app.bundleId))
            return [
                "bundleId": app.bundleId, "name": app.name, "link": link, "environments": cells.map { $0.value },
            ]
        }
        let shownFailing: PageValue = [
            "failing": Array(failing.prefix(OverviewRow.deliveries)), "hasEndpoints": true,
        ]
        return apps.with([
            "tour": try await Tour.value(page), "allFailing": shownFailing,
            "rejected": try await page.send(ListRequests(refused: true, limit: 8)).entries.map { value(of: $0, page) },
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
}

/// The environments of an app in the table of all apps. Each environment costs a few reads, with a limit for each.
struct OverviewRow: Sendable {
    let page: PageRequest
    let bundleID: String

    /// The apps of a page.
    static let apps = 20
    /// The failing deliveries of a page.
    static let deliveries = 8
    /// Up to this number, customers and failing notifications are counted.
    private static let maxCount = 10

    /// The cell of an environment.
    func cell(_ environment: StoreEnvironment) async throws -> (value: PageValue, failing: [PageValue]) {
        let app = AppEnvironment(bundleID, environment)
        let clock = try await page.send(GetClock(app: app))
        let deliveries = try await FailingDeliveries(page, app, limit: Self.maxCount + 1)
        let scope = AccountScope(environment: environment, app: bundleID)
        let customers = try await page.shop.storage.storedAccounts(of: scope, after: nil, limit: Self.maxCount + 1)
        let failing = deliveries.rows.count
        let failed = page.link(.notifications, of: app, query: [(name: "failed", value: "true")])
        let value: PageValue = [
            "name": environment.rawValue, "label": Words.sentence(environment.rawValue), "bundleId": bundleID,
            "link": page.link(toEnvironment: app), "now": clock.now, "mode": clock.mode.rawValue,
            "clock": ClockCard.words(clock), "advance": clock.advance != nil,
            "customers": "\(Self.count(customers.count)) \(customers.count == 1 ? "customer" : "customers")",
            "failing": failing == 0 ? nil : "\(Self.count(failing)) failing", "failedLink": failed,
            "hasEndpoints": deliveries.hasEndpoints, "endpointLink": deliveries.endpointLink,
            "paused": deliveries.paused,
        ]
        return (value, deliveries.rows)
    }

    /// `3`, or `10+` for more than can be counted.
    private static func count(_ count: Int) -> String { count > maxCount ? "\(maxCount)+" : String(count) }
}
