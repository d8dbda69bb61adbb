import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// One environment of an app: its clocks, upcoming events, failing deliveries, first customers and settings.
    static let environment = ConsolePage(
        "\(scope)/",
        "environment",
        menu: "Environment",
        documentation: [.time, .notifications, .backend]
    ) { page in
        let app = try page.app
        let (bundleID, environment) = (app.bundleId, app.environment)
        let info = try await page.send(GetApp(bundleId: bundleID))
        let clocks = try await page.send(ListClocks(app: app)).compactMap(\.name)
        var own: [PageValue] = []
        for clock in clocks.prefix(10) {
            own.append(try await ClockCard(page: page, app: app, own: clock).value(limit: 3))
        }
        let other: StoreEnvironment = environment == .sandbox ? .production : .sandbox
        // A guarded server creates no clocks.
        let createClock =
            page.shop.settings.guards(environment)
            ? nil
            : page.form(
                CreateClock(app: app, name: ""),
                "Create clock",
                [.init("name", "Name"), .init("at", "Start time (UTC)", .instant)]
            )
        return try await FailingDeliveries(page, app, limit: 10).value.with([
            "title": "\(info.name), \(environment.rawValue)",
            "clock": try await ClockCard(page: page, app: app).value(limit: 10, isOpen: true),
            "clockTitle": ClockCard.title(environment), "own": own, "hasMoreClocks": clocks.count > 10,
            "list": try await CustomerTable.value(page, after: nil, limit: 10),
            "allCustomers": page.link(.customers), "jobs": try await jobs(page, app),
            "settings": try await EnvironmentSettingsForm.value(page), "otherEnvironment": other.rawValue,
            "otherLink": page.link(toEnvironment: AppEnvironment(bundleID, other)),
            "createClock": createClock,
        ])
    }

    // MARK: Bulk operations

    private static func jobs(_ page: PageRequest, _ app: AppEnvironment) async throws -> PageValue {
        let limit = 10
        let jobs = try await page.send(ListJobs(app: app))
        let now = try await page.send(GetClock(app: app)).now
        return [
            // Sorted by effective date, latest first.
            "rows": jobs.suffix(limit).reversed().listed { row(of: $0, now, page) },
            "isCutShort": jobs.count > limit, "hasJobs": !jobs.isEmpty,
            "extend": page.form(
                ExtendAll(app: app, productId: "", days: 30),
                "Extend renewal date for all subscribers",
                [
                    .init("productId", "Product", try await subscriptions(page, app), hint: "com.example.month"),
                    .init("days", "Days"),
                    SubscriptionCard.extensionReason,
                    .init("storefronts", "Storefronts, one per line (empty: all)", hint: "DEU"),
                ]
            ),
        ]
    }

    /// The subscription products as options of a select field; nil without any, and if there are too many.
    private static func subscriptions(_ page: PageRequest, _ app: AppEnvironment) async throws -> FormField.Kind? {
        let products = try await page.send(GetCatalog(bundleId: app.bundleId)).products
            .filter { $0.type == .autoRenewable }
        guard (1...ListLimit.options).contains(products.count) else { return nil }
        return .choice(products.map { ($0.productId, "\($0.referenceName ?? $0.productId) (\($0.productId))") })
    }

    private static func row(of job: JobInfo, _ now: Timestamp, _ page: PageRequest) -> PageValue {
        let kind =
            switch job.kind {
            case .raisePrice: "Price increase"
            case .extend: "Extension"
            case .shareProduct: "Family Sharing"
            }
        return [
            "kind": kind, "product": job.productId, "link": page.link(toProduct: job.productId),
            "time": Words.time(job.effectiveDate, from: now), "state": job.state.rawValue,
            "style": job.state == .done ? "good" : "warn", "succeeded": Words.count(job.succeeded, "customer"),
            "failed": job.failed == 0 ? nil : job.failed,
        ]
    }
}
