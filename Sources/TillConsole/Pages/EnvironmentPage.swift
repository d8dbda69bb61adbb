import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// One environment of an app: its clocks, upcoming events, failing deliveries, first customers and settings.
    static let environment = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/",
        template: Template("environment", PackageResources.environment_mustache)
    ) { page in
        let bundleID = page.parameters["bundleId"] ?? ""
        let environment = page.parameters["environment"] ?? ""
        let app = try await page.ask("getApp")
        let clocks = try await page.ask("listClocks")["clocks"]?.elements ?? []
        var own: [PageValue] = []
        for clock in clocks.prefix(10) {
            let card = ClockCard(page, bundleID: bundleID, environment: environment, own: clock["name"]?.text ?? "")
            own.append(try await card.value(limit: 3))
        }
        let others = environment == "sandbox" ? "production" : "sandbox"
        return PageContent(
            "\(app["name"]?.text ?? bundleID), \(environment)",
            [
                "clock": try await ClockCard(page, bundleID: bundleID, environment: environment).value(
                    limit: 10,
                    isOpen: true
                ),
                "clockTitle": .text(ClockCard.title(environment)),
                "own": .list(own), "hasMoreClocks": .flag(clocks.count > 10),
                "failing": .list(try await Deliveries.failing(page, page.parameters, limit: 10)),
                "hasEndpoints": .flag(try await Deliveries.hasEndpoints(page, page.parameters)),
                "endpointLink": PageValue(Deliveries.endpointLink(page, page.parameters)),
                "list": try await CustomerTable.value(page, after: nil, limit: 10),
                "allCustomers": PageValue(page.link("/console/apps/{bundleId}/{environment}/customers")),
                "jobs": try await Jobs.value(page),
                "settings": try await EnvironmentSettingsForm.value(page),
                "otherEnvironment": .text(others),
                "otherLink": PageValue(page.link("/console/apps/{bundleId}/{environment}/", ["environment": others])),
                "createClock": ActionForm(
                    "createClock",
                    "Create clock",
                    [.init("name", "Name"), .init("at", "Start time (UTC)", .instant)]
                ).value(page),
            ]
        )
    }
}
