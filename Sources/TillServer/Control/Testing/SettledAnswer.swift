import TillControl
import TillCore
import TillShop
import TillStorage

/// Describes the deliveries that an operation caused.
extension ControlAPI {
    /// The deliveries of a settlement, as in answers.
    func info(of result: Settlement.Result) async throws -> SettledInfo {
        let first = result.pending.sorted { ($0.notification, $0.endpoint) < ($1.notification, $1.endpoint) }
            .prefix(Self.maxPendingDeliveries)
        var deliveries: [PendingDeliveryInfo] = []
        for delivery in first {
            guard let entry = try await shop.storage.notification(delivery.notification) else { continue }
            let name = EndpointRecord.name(ofKey: delivery.endpoint)
            var info = PendingDeliveryInfo(
                notificationUUID: entry.uuid,
                notification: [entry.type, entry.subtype].compactMap(\.self).joined(separator: "/"),
                endpoint: name,
                sendAttemptResult: delivery.attempts.last?.result,
                nextAttemptDate: delivery.due
            )
            info.paused = shop.registry.rules(of: delivery.scope).endpoint(name)?.isPaused
            deliveries.append(info)
        }
        return SettledInfo(
            delivered: result.delivered,
            pending: result.pending.count,
            pendingDeliveries: deliveries
        )
    }

    /// The maximum number of pending deliveries in an answer. A job can cause many thousands.
    private static let maxPendingDeliveries = 20
}
