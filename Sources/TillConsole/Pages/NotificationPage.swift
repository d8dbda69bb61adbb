import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// One notification: its decoded payload with signatures, and every delivery attempt.
    static let notification = ConsolePage("\(scope)/notifications/{notificationUUID}", "notification") { page in
        let app = try page.app
        let uuid = page.parameters["notificationUUID"] ?? ""
        let notification = try await page.send(GetNotification(app: app, notificationUUID: uuid))
        let endpoints = try await page.send(ListEndpoints(app: app)).map(\.name)
        let signed = notification.signedPayload
        let decoded = if let signed { await TextDecoding.parts(of: signed, page.shop).parts } else { [DecodedPart]() }
        return [
            "title": [notification.notificationType, notification.subtype].compactMap(\.self).joined(separator: " / "),
            "about": NotificationWords.about(notification, page), "list": page.link(.notifications),
            "parts": DecodedWords.parts(decoded),
            "deliveries": notification.deliveries.map(NotificationWords.delivery),
            "plain": signed == nil ? DecodedWords.document(notification.payload?.tree) : nil,
            "resends": resends(app, uuid, endpoints, page), "canResend": !endpoints.isEmpty,
        ]
    }

    private static func resends(_ app: AppEnvironment, _ uuid: String, _ endpoints: [String], _ page: PageRequest)
        -> [PageValue]
    {
        guard !endpoints.isEmpty else { return [] }
        let resend = ResendNotifications(app: app, notificationUUID: uuid)
        let toAll = page.form(resend, "Resend to all endpoints", name: "all")
        guard endpoints.count > 1 else { return [toAll] }
        return [toAll]
            + endpoints.prefix(10).map { name in
                let toOne = ResendNotifications(app: app, notificationUUID: uuid, endpoint: name)
                return page.form(toOne, "Resend to \(name)", name: name)
            }
    }
}
