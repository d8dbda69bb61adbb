import TillControl
import TillJSON
import TillShop

/// The notifications of the fixtures: all that the stories caused, and the types that no event causes.
extension FixtureShop {
    /// Sends a notification on request.
    func trigger(_ type: NotificationType, _ subtype: NotificationSubtype?, transaction: String? = nil) async throws {
        let request = TriggerNotification(
            app: app,
            type: type,
            subtype: subtype,
            transactionId: type.subject == .transaction ? transaction : nil,
            customer: type.subject == .customer ? "olga" : nil
        )
        _ = try await client.send(request)
    }

    /// Adds a file for each type and subtype, and for each product type and ownership that it is about.
    mutating func addNotifications() async throws {
        let caused = Set(try await notifications().map { Pair($0) })
        let subject = try await client.send(ListTransactions(app: app, customer: "uma")).transactions.first
        // A test is sent to an endpoint. Nothing listens there, so the delivery fails, but the notification is kept.
        _ = try await client.send(SetEndpoint(app: app, endpoint: "primary", url: "http://127.0.0.1:9/"))
        for type in NotificationType.allCases {
            for subtype in type.subtypes where !caused.contains(Pair(type.rawValue, subtype?.rawValue)) {
                try await trigger(type, subtype, transaction: subject?.transactionId)
            }
        }
        _ = try await client.send(RemoveEndpoint(app: app, endpoint: "primary"))
        for listed in try await notifications() {
            try add(try await client.send(GetNotification(app: app, notificationUUID: listed.notificationUUID)))
        }
    }

    private struct Pair: Hashable {
        let type: String
        let subtype: String?

        init(_ type: String, _ subtype: String?) { (self.type, self.subtype) = (type, subtype) }

        init(_ info: NotificationInfo) { self.init(info.notificationType, info.subtype) }
    }

    /// All notifications, oldest first.
    private func notifications() async throws -> [NotificationInfo] {
        var all: [NotificationInfo] = []
        var after: String?
        repeat {
            let page = try await client.send(ListNotifications(app: app, after: after, limit: 100))
            all += page.notifications
            after = page.next
        } while after != nil
        return all.reversed()
    }

    /// What a notification is about.
    private struct Payload: Decodable {
        struct Details: Decodable {
            let consumptionRequestReason: String?
        }

        let data: Details?
    }

    private struct Transaction: Decodable {
        let type: ProductType?
        let inAppOwnershipType: InAppOwnershipType?
    }

    /// Adds a notification, unless there is a file with the same name, which is about the same.
    private mutating func add(_ info: NotificationInfo) throws {
        guard let type = NotificationType(rawValue: info.notificationType), let jws = info.signedPayload else { return }
        let transaction = try info.transactionInfo?.tree.decode(Transaction.self)
        var name = info.notificationType + (info.subtype.map { ".\($0)" } ?? "")
        var about = ""
        if let product = transaction?.type {
            name += ".\(product.fileName)"
            about = product.words
        }
        if transaction?.inAppOwnershipType == .familyShared {
            name += ".family-shared"
            about = "a family member's copy of \(about)"
        }
        if let reason = try info.payload?.tree.decode(Payload.self).data?.consumptionRequestReason {
            name += ".\(reason.lowercased().split(separator: "_").joined(separator: "-"))"
        }
        let subtype = info.subtype.flatMap(NotificationSubtype.init(rawValue:))
        let sentence = NotificationSentence.text(type, subtype) + (about.isEmpty ? "." : " (\(about)).")
        var fixture = fixture(.notification, name, sentence)
        guard files.contents[fixture.file] == nil else { return }
        fixture.isAccepted = true
        fixture.isTriggered = info.isTriggered
        fixture.complete(with: jws)
        try add(fixture, jws)
    }
}

extension ProductType {
    /// The product type in the name of a file.
    fileprivate var fileName: String {
        switch self {
        case .autoRenewable: "subscription"
        case .nonRenewing: "non-renewing"
        case .consumable: "consumable"
        case .nonConsumable: "non-consumable"
        }
    }

    fileprivate var words: String {
        switch self {
        case .autoRenewable: "an auto-renewable subscription"
        case .nonRenewing: "a non-renewing subscription"
        case .consumable: "a consumable"
        case .nonConsumable: "a non-consumable"
        }
    }
}

/// What a notification means, in one sentence without a full stop.
private enum NotificationSentence {
    static func text(_ type: NotificationType, _ subtype: NotificationSubtype?) -> String {
        switch type {
        case .subscribed:
            subtype == .resubscribe
                ? "A customer subscribed again in the group" : "A customer subscribed for the first time in the group"
        case .didRenew:
            subtype == nil ? "A renewal was charged" : "A renewal whose payment had failed was paid"
        case .offerRedeemed: changed(subtype) + ", with an offer"
        case .oneTimeCharge: "A product that does not renew was bought or shared"
        case .didChangeRenewalPref: subtype == nil ? "A customer withdrew a change of plan" : changed(subtype)
        case .didChangeRenewalStatus:
            "Auto-renew was turned \(subtype == .autoRenewEnabled ? "on" : "off")"
        case .didFailToRenew:
            subtype == nil
                ? "A payment failed and access ended" : "A payment failed and access continues in the grace period"
        case .gracePeriodExpired: "The grace period ended without a payment"
        case .expired: "A subscription expired: \(reason(subtype))"
        case .priceIncrease:
            subtype == .pending
                ? "A customer was notified of a price increase and must agree"
                : "A customer agreed to a price increase, or was notified of one that needs no consent"
        case .consumptionRequest: "A customer requested a refund, and the App Store asks for consumption data"
        case .refund: "A refund was granted"
        case .refundDeclined: "A refund was declined"
        case .refundReversed: "A refund was reversed"
        case .revoke: "A family member lost access"
        case .renewalExtended: "The renewal date of a subscription was extended"
        case .renewalExtension:
            subtype == .summary
                ? "An extension for all subscribers is complete" : "A renewal date could not be extended"
        case .test: "A test notification"
        case .externalPurchaseToken: "A token for external purchases needs attention"
        case .rescindConsent: "A parent withdrew the consent for an app"
        case .metadataUpdate, .migration, .priceChange: "A notification of Advanced Commerce"
        }
    }

    private static func changed(_ subtype: NotificationSubtype?) -> String {
        switch subtype {
        case .upgrade?: "A customer changed the plan immediately"
        case .downgrade?: "A customer changed the plan for the next renewal"
        default: "A customer keeps the plan"
        }
    }

    private static func reason(_ subtype: NotificationSubtype?) -> String {
        switch subtype {
        case .voluntary?: "auto-renew was off"
        case .billingRetry?: "no payment succeeded in the billing retry period"
        case .priceIncrease?: "the customer did not agree to a price increase"
        case .productNotForSale?: "the product was removed from sale"
        default: "another reason"
        }
    }
}
