import Foundation
import Synchronization
import TillCore
import TillShop

/// A webhook endpoint that fails in a pattern that the seed determines. A failure depends only on the notification and
/// the number of the attempt, so two runs of the same workload have the same failures.
/// It fails only after it has received the complete request, so the number of requests equals the number of attempts.
final class UnreliableEndpoint: Sendable {
    private let post: WebhookReceiver
    private let deliveryWorker: DeliveryWorker

    /// The URL of the endpoint.
    var url: String { post.url }

    /// Opens the endpoint, and starts a delivery worker for the shop's notifications.
    init(for test: TestShop, seed: UInt64) async throws {
        let counts = Mutex<[String: Int]>([:])
        post = try await WebhookReceiver.start { request in
            guard let notification = Self.identity(in: request.body) else { return .status(400) }
            let number = counts.withLock { counts in
                counts[notification.uuid, default: 0] += 1
                return counts[notification.uuid, default: 1]
            }
            return Self.answer(to: notification.key, attempt: number, seed: seed)
        }
        deliveryWorker = try test.startSending()
    }

    deinit {
        Task { [post, deliveryWorker] in
            await deliveryWorker.stop()
            try? await post.stop()
        }
    }

    /// Accepts half of all notifications at the first attempt, and never accepts one in twelve.
    private static func answer(to key: String, attempt: Int, seed: UInt64) -> WebhookReceiver.Answer {
        let hash = key.utf8.reduce(seed &+ 0x9e37_79b9_7f4a_7c15) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        var random = SeededRandom(seed: hash)
        let failures = random.chance(50) ? 0 : random.number(in: 1...6)
        guard attempt <= failures else { return .status(200) }
        var kinds = SeededRandom(seed: hash &+ UInt64(attempt))
        switch kinds.number(in: 0...3) {
        case 0: return .status(500)
        case 1: return .closeMidway
        case 2: return .charset("nothing-that-anybody-reads")
        default: return .rawThenClose(Array("this is not HTTP\r\n\r\n".utf8))
        }
    }

    /// The UUID of a notification, and a key that is the same in every run of the workload.
    private static func identity(in body: [UInt8]) -> (uuid: String, key: String)? {
        struct Envelope: Decodable { let signedPayload: String }
        struct Body: Decodable {
            struct Data: Decodable { let signedTransactionInfo: String? }
            let notificationUUID: String
            let notificationType: String
            let subtype: String?
            let data: Data?
        }
        struct Row: Decodable {
            let productId: String
            let purchaseDate: Int64
        }
        let decoder = JSONDecoder()
        guard
            let envelope = try? decoder.decode(Envelope.self, from: Data(body)),
            let text = payload(of: envelope.signedPayload), let content = try? decoder.decode(Body.self, from: text)
        else { return nil }
        let row = content.data?.signedTransactionInfo.flatMap(payload).flatMap {
            try? decoder.decode(Row.self, from: $0)
        }
        let parts = [
            content.notificationType, content.subtype ?? "", row?.productId ?? "", String(row?.purchaseDate ?? 0),
        ]
        return (content.notificationUUID, parts.joined(separator: "/"))
    }

    private static func payload(of jws: String) -> Data? {
        let parts = jws.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text)
    }
}
