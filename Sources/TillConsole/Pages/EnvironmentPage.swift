import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// One environment of an app: its clocks, upcoming events, failing deliveries, first customers and settings.
    static let environment = ConsolePage("\(scope)/", "environment", menu: "Environment") { page in
        let app = try page.app
        let (bundleID, environment) = (app.bundleId, app.environment)
        let info = try await page.send(GetApp(bundleId: bundleID))
        let clocks = try await page.send(ListClocks(app: app)).compactMap(\.name)
        var own: [PageValue] = []
        for clock in clocks.prefix(10) {
            own.append(try await ClockCard(page: page, app: app, own: clock).value(limit: 3))
        }
        let other: StoreEnvironment = environment == .sandbox ? .production : .sandbox
        return try await failingDeliveries(page, app, limit: 10).with([
            "title": "\(info.name), \(environment.rawValue)",
            "clock": try await ClockCard(page: page, app: app).value(limit: 10, isOpen: true),
            "clockTitle": ClockCard.title(environment), "own": own, "hasMoreClocks": clocks.count > 10,
            "list": try await CustomerTable.value(page, after: nil, limit: 10),
            "allCustomers": page.link(.customers), "jobs": try await jobs(page, app),
            "settings": try await EnvironmentSettingsForm.value(page), "otherEnvironment": other.rawValue,
            "otherLink": page.link(toEnvironment: AppEnvironment(bundleID, other)),
            "createClock": page.form(
                CreateClock(app: app, name: ""),
                "Create clock",
                [.init("name", "Name"), .init("at", "Start time (UTC)", .instant)]
            ),
        ])
    }

    /// Whether an app's environment has an endpoint, and its newest failing deliveries, for `{{>failing}}`.
    static func failingDeliveries(_ page: PageRequest, _ app: AppEnvironment, limit: Int) async throws -> PageValue {
        let list = try await page.send(ListNotifications(app: app, failed: true, limit: limit))
        let failing = list.notifications.listed { notification in
            let delivery = notification.deliveries.first { !$0.isDelivered && !$0.attempts.isEmpty }
            let attempts = delivery?.attempts ?? []
            let uuid = ["notificationUUID": notification.notificationUUID]
            return [
                "words": NotificationWords.words(notification), "customer": notification.customer,
                "link": page.link(.notification, uuid, of: app), "endpoint": delivery?.endpoint,
                "attempts": Words.count(attempts.count, "attempt"),
                "result": attempts.last.map { Words.sentence($0.sendAttemptResult.rawValue) },
                "status": attempts.last?.status, "next": delivery?.nextAttemptDate,
            ]
        }
        let endpoints = try await page.send(ListEndpoints(app: app))
        let paused = endpoints.filter { $0.paused == true }.map(\.name)
        return [
            "failing": failing, "hasEndpoints": !endpoints.isEmpty,
            "paused": paused.isEmpty ? nil : paused.joined(separator: ", "),
            "endpointLink": page.link(toEnvironment: app) + "#endpoints-title",
        ]
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
                    .init("productId", "Product", hint: "com.example.month"), .init("days", "Days"),
                    SubscriptionCard.extensionReason,
                    .init("storefronts", "Storefronts, one per line (empty: all)", hint: "DEU"),
                ]
            ),
        ]
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
