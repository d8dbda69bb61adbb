import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// One environment of an app: its clocks, upcoming events, failing deliveries, first customers and settings.
    static let environment = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/",
        template: Template("environment", PackageResources.environment_mustache)
    ) { page in
        let app = try page.app
        let (bundleID, environment) = (app.bundleId, app.environment)
        let info = try await page.send(GetApp(bundleId: bundleID))
        let clocks = try await page.send(ListClocks(app: app)).compactMap(\.name)
        var own: [PageValue] = []
        for clock in clocks.prefix(10) { own.append(try await ClockCard(page, app, own: clock).value(limit: 3)) }
        let others: StoreEnvironment = environment == .sandbox ? .production : .sandbox
        return PageContent(
            "\(info.name), \(environment.rawValue)",
            [
                "clock": try await ClockCard(page, app).value(limit: 10, isOpen: true),
                "clockTitle": .text(ClockCard.title(environment)),
                "own": .list(own), "hasMoreClocks": .flag(clocks.count > 10),
                "failing": .list(try await Deliveries.failing(page, app, limit: 10)),
                "hasEndpoints": .flag(try await Deliveries.hasEndpoints(page, app)),
                "endpointLink": PageValue(Deliveries.endpointLink(page, app)),
                "list": try await CustomerTable.value(page, after: nil, limit: 10),
                "allCustomers": PageValue(page.link(ConsolePage.customersPath)),
                "jobs": try await Jobs.value(page),
                "settings": try await EnvironmentSettingsForm.value(page),
                "otherEnvironment": .text(others.rawValue),
                "otherLink": PageValue(page.link(toEnvironment: AppEnvironment(bundleID, others))),
                "createClock": ActionForm(
                    CreateClock(app: app, name: ""),
                    "Create clock",
                    [.init("name", "Name"), .init("at", "Start time (UTC)", .instant)]
                ).value(page),
            ]
        )
    }
}
