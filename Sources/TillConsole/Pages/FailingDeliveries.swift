import TillControl
import TillServer
import TillShop

/// The newest failing deliveries of an app's environment, for `{{>failing}}`, and whether it has an endpoint.
struct FailingDeliveries: Sendable {
    let rows: [PageValue]
    let hasEndpoints: Bool
    /// The names of paused endpoints; nil without any.
    let paused: String?
    /// The URL of the form that sets an endpoint.
    let endpointLink: String

    init(_ page: PageRequest, _ app: AppEnvironment, limit: Int) async throws {
        let list = try await page.send(ListNotifications(app: app, failed: true, limit: limit))
        rows = list.notifications.map { Self.row($0, app, page) }
        let endpoints = try await page.send(ListEndpoints(app: app))
        hasEndpoints = !endpoints.isEmpty
        let names = endpoints.filter { $0.paused == true }.map(\.name)
        paused = names.isEmpty ? nil : names.joined(separator: ", ")
        endpointLink = page.link(toEnvironment: app) + EnvironmentSettingsForm.endpoints
    }

    /// The value for `{{>failing}}`.
    var value: PageValue {
        ["failing": rows, "hasEndpoints": hasEndpoints, "paused": paused, "endpointLink": endpointLink]
    }

    private static func row(_ notification: NotificationInfo, _ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        let delivery = notification.deliveries.first { !$0.isDelivered && !$0.attempts.isEmpty }
        let attempts = delivery?.attempts ?? []
        let uuid = ["notificationUUID": notification.notificationUUID]
        return [
            "words": NotificationWords.words(notification), "customer": notification.customer,
            "link": page.link(.notification, uuid, of: app), "endpoint": delivery?.endpoint,
            "state": delivery?.nextAttemptDate == nil ? "failed" : "retrying",
            "attempts": Words.count(attempts.count, "attempt"),
            "result": attempts.last.map { Words.result($0.sendAttemptResult, $0.reason) },
            "status": attempts.last?.status, "next": delivery?.nextAttemptDate,
        ]
    }
}
