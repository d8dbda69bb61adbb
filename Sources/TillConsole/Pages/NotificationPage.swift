import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// One notification: its decoded payload with signatures, and every delivery attempt.
    static let notification = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/notifications/{notificationUUID}",
        template: Template("notification", PackageResources.notification_mustache)
    ) { page in
        let entry = try await page.ask("getNotification")
        let endpoints = try await page.ask("listEndpoints")["endpoints"]?.elements.compactMap { $0["name"]?.text } ?? []
        let signed = entry["signedPayload"]?.text
        let plain = DecodedWords.document(entry["payload"])
        let decoded = signed == nil ? ([], false) : await TextDecoding.parts(of: signed ?? "", page.shop)
        let about = NotificationWords.about(entry, page)
        return PageContent(
            [entry["notificationType"]?.text, entry["subtype"]?.text].compactMap(\.self).joined(separator: " / "),
            [
                "about": about, "uuid": PageValue(entry["notificationUUID"]?.text),
                "list": PageValue(page.link("/console/apps/{bundleId}/{environment}/notifications")),
                "deliveries": .list((entry["deliveries"]?.elements ?? []).map(NotificationWords.delivery)),
                "parts": .list(DecodedWords.parts(decoded.0)),
                "plain": signed == nil ? plain : .nothing,
                "resends": .list(resends(endpoints).map { $0.value(page) }), "canResend": .flag(!endpoints.isEmpty),
            ]
        )
    }

    private static func resends(_ endpoints: [String]) -> [ActionForm] {
        guard !endpoints.isEmpty else { return [] }
        let toAll = ActionForm("resendNotification", "Resend to all endpoints", name: "all")
        guard endpoints.count > 1 else { return [toAll] }
        return [toAll]
            + endpoints.prefix(10).map { name in
                ActionForm(
                    "resendNotification",
                    "Resend to \(name)",
                    [.init("endpoint", "", .hidden, value: name)],
                    name: name
                )
            }
    }
}
