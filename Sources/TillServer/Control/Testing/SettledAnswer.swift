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
            deliveries.append(
                PendingDeliveryInfo(
                    notificationUUID: entry.uuid,
                    notification: [entry.type, entry.subtype].compactMap(\.self).joined(separator: "/"),
                    endpoint: EndpointRecord.name(ofKey: delivery.endpoint),
                    sendAttemptResult: delivery.attempts.last?.result,
                    nextAttemptDate: delivery.due
                )
            )
            let name = EndpointRecord.name(ofKey: delivery.endpoint)
            let endpoint = shop.registry.rules(of: delivery.scope).endpoint(name)
            deliveries[deliveries.endIndex - 1].paused = endpoint?.isPaused
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
