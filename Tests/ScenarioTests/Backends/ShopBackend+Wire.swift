import Foundation
import Testing
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

extension ShopBackend: WireBackend {
    func received() async throws -> [ReceivedNotification] {
        let query = NotificationQuery(scope: scope, limit: 10_000)
        var received: [ReceivedNotification] = []
        for entry in try await test.shop.storage.notifications(query).sorted(by: { $0.id < $1.id }) {
            received += try await self.received(test.signedPayload(entry))
        }
        return received
    }

    func history(of customer: String) async throws -> [ReceivedTransaction] {
        try await transactions(of: customer).map { row in
            let signed = try test.shop.signed(
                row,
                environment: environment,
                app: scope.app,
                at: test.shop.now(in: scope)
            )
            return try SignedText.decode(ReceivedTransaction.self, signed.text)
        }
    }

    func subscriptions(of customer: String) async throws -> [ReceivedSubscription] {
        guard let account = try await account(of: customer) else { return [] }
        let now = try await test.shop.instantOfState(of: account)
        return try account.heldSubscriptions.sorted { $0.originalID < $1.originalID }.map { subscription in
            let transaction = try test.shop.signed(
                subscription.latestTransaction,
                environment: environment,
                app: scope.app,
                at: now
            )
            let info = try test.shop.signedRenewalInfo(of: subscription, held: account, at: now)
            return ReceivedSubscription(
                status: subscription.status.rawValue,
                transaction: try SignedText.decode(ReceivedTransaction.self, transaction.text),
                renewalInfo: try SignedText.decode(ReceivedRenewalInfo.self, info.text)
            )
        }
    }

    /// Decodes a signed notification. Returns nothing for a summary of a mass extension, because it has no customer.
    func received(_ signedPayload: String) async throws -> [ReceivedNotification] {
        let payload = try SignedText.decode(ReceivedPayload.self, signedPayload)
        guard let data = payload.data, let signed = data.signedTransactionInfo else { return [] }
        let id = try SignedText.decode(ReceivedAccount.self, signed).appTransactionId
        let number = try #require(Int64(id))
        let account = try #require(try await test.shop.storage.account(AccountID(number)))
        return [
            ReceivedNotification(
                signedDate: payload.signedDate,
                customer: account.customer,
                type: payload.notificationType,
                subtype: payload.subtype,
                status: data.status,
                consumptionRequestReason: data.consumptionRequestReason,
                transaction: try SignedText.decode(ReceivedTransaction.self, signed),
                renewalInfo: try data.signedRenewalInfo.map { try SignedText.decode(ReceivedRenewalInfo.self, $0) }
            )
        ]
    }
}

/// A decoded notification, with the fields that scenarios check.
private struct ReceivedPayload: Decodable {
    struct Data: Decodable {
        var status: Int?
        var consumptionRequestReason: String?
        var signedTransactionInfo: String?
        var signedRenewalInfo: String?
    }

    var notificationType: String
    var subtype: String?
    var signedDate: Timestamp
    var data: Data?
}

private struct ReceivedAccount: Decodable {
    var appTransactionId: String
}

/// Decodes a compact JWS without verifying its signature.
enum SignedText {
    static func decode<Value: Decodable>(_ type: Value.Type, _ jws: String) throws -> Value {
        let segments = jws.split(separator: ".")
        try #require(segments.count == 3)
        let payload = try #require(Base64URL.decode(String(segments[1])))
        return try JSONDecoder().decode(type, from: Data(payload))
    }
}
