import TillControl
import TillServer
import TillShop

extension ConsolePage {
    static let notificationPath = NotificationTable.path + "/{notificationUUID}"

    /// One notification: its decoded payload with signatures, and every delivery attempt.
    static let notification = ConsolePage(
        path: notificationPath,
        template: Template("notification", PackageResources.notification_mustache)
    ) { page in
        let app = try page.app
        let uuid = page.parameters["notificationUUID"] ?? ""
        let notification = try await page.send(GetNotification(app: app, notificationUUID: uuid))
        let endpoints = try await page.send(ListEndpoints(app: app)).map(\.name)
        let signed = notification.signedPayload
        let decoded = signed == nil ? ([], false) : await TextDecoding.parts(of: signed ?? "", page.shop)
        return PageContent(
            [notification.notificationType, notification.subtype].compactMap(\.self).joined(separator: " / "),
            [
                "about": NotificationWords.about(notification, page), "uuid": .text(notification.notificationUUID),
                "list": PageValue(page.link(NotificationTable.path)),
                "deliveries": .list(notification.deliveries.map(NotificationWords.delivery)),
                "parts": .list(DecodedWords.parts(decoded.0)),
                "plain": signed == nil ? DecodedWords.document(notification.payload?.tree) : .nothing,
                "resends": .list(resends(app, uuid, endpoints).map { $0.value(page) }),
                "canResend": .flag(!endpoints.isEmpty),
            ]
        )
    }

    private static func resends(_ app: AppEnvironment, _ uuid: String, _ endpoints: [String]) -> [ActionForm] {
        guard !endpoints.isEmpty else { return [] }
        let resend = ResendNotifications(app: app, notificationUUID: uuid)
        let toAll = ActionForm(resend, "Resend to all endpoints", name: "all")
        guard endpoints.count > 1 else { return [toAll] }
        return [toAll]
            + endpoints.prefix(10).map { name in
                let toOne = ResendNotifications(app: app, notificationUUID: uuid, endpoint: name)
                return ActionForm(toOne, "Resend to \(name)", name: name)
            }
    }
}
