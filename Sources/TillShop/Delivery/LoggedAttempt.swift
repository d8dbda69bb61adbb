import Logging
import TillCore
import TillStorage
import Tracing

/// What the log and a trace contain about an attempt to deliver a notification. They contain no part of the endpoint's
/// URL but host and port, because the other parts may contain secrets.
struct LoggedAttempt {
    /// The delivery after the attempt.
    let delivery: Delivery
    let endpoint: EndpointRecord
    /// The notification; nil if it could not be read.
    let entry: OutboxEntry?
    let result: AttemptResult
    /// Why Till itself failed to send the notification; nil otherwise.
    let failure: String?

    /// Why the attempt failed; nil if it succeeded.
    var cause: String? {
        failure ?? (result.result == .success ? nil : result.explanation ?? result.result.rawValue)
    }

    private var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "app": "\(delivery.scope.app)", "environment": "\(delivery.scope.environment.wireName)",
            "endpoint": "\(endpoint.name)", "type": "\(delivery.type)",
            "attempt": .stringConvertible(delivery.attempts.count), "result": "\(result.result.rawValue)",
            "cause": "\(cause ?? "")", "next": "\(delivery.due?.iso8601 ?? "none")",
        ]
        if let entry { metadata["notification"] = "\(entry.uuid)" }
        if let address { metadata["address"] = "\(address)" }
        if let status = result.status { metadata["status"] = .stringConvertible(status) }
        return metadata
    }

    private var address: String? { endpoint.isListener ? nil : WebhookTarget(endpoint.url)?.origin.description }

    /// The attributes of the attempt's span.
    var attributes: KeyValuePairs<String, String?> {
        [
            "till.notification": entry?.uuid, "till.notification_type": delivery.type, "till.endpoint": endpoint.name,
            "till.result": result.result.rawValue, "server.address": address,
        ]
    }

    /// Writes a line if the attempt failed.
    func log(to logger: Logger, _ trace: TraceScope?) {
        guard cause != nil else { return }
        ServiceContext.withValue(trace?.context) {
            if failure != nil {
                logger.error("a notification could not be sent", metadata: metadata)
            } else if result.isRefused {
                logger.warning("a delivery was refused because of its endpoint's address", metadata: metadata)
            } else {
                logger.warning("a delivery failed", metadata: metadata)
            }
        }
    }
}
