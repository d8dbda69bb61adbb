import Foundation
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
        let all = OverviewRow.sorted(try await page.send(ListApps()))
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
        let isPart = all.count > OverviewRow.apps
        let shownFailing: PageValue = [
            "failing": Array(failing.prefix(OverviewRow.deliveries)), "hasEndpoints": true, "isPart": isPart,
        ]
        return apps.with([
            "isPart": isPart, "part": isPart ? OverviewRow.part(of: all, from: page) : nil,
            "first": page.value("after") == nil ? nil : page.linkToSelf([]),
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

    /// The apps in display order: the demo app first, because the overview starts with its tour; then by bundle ID,
    /// with numbers in their order, so that `app2` comes before `app10`.
    static func sorted(_ apps: [AppInfo]) -> [AppInfo] {
        apps.sorted { left, right in
            let isFirst = left.bundleId == DemoCatalog.bundleID
            if isFirst != (right.bundleId == DemoCatalog.bundleID) { return isFirst }
            let order = left.bundleId.compare(right.bundleId, options: .numeric)
            return order == .orderedSame ? left.bundleId < right.bundleId : order == .orderedAscending
        }
    }

    /// `21 to 30 of 30`: the apps that a page of the list shows.
    static func part(of all: [AppInfo], from page: PageRequest) -> String {
        let shown = page.part(of: all, by: \.bundleId, limit: apps).elements
        return "\(shown.startIndex + 1) to \(shown.endIndex) of \(all.count)"
    }

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
            "link": page.link(toEnvironment: app), "now": clock.mode == .real ? nil : clock.now,
            "mode": clock.mode.rawValue, "clock": ClockCard.words(clock, page.shop.wallClock()),
            "advance": clock.advance != nil,
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
