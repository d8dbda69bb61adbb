import HTTPTypes
import Hummingbird
import Logging
import TillShop
import TillStorage
import Tracing

/// Writes a log line for each answered request.
///
/// The level is `info`: an answered request needs no attention, and a test suite makes thousands of them. The setting
/// `accessLog` turns the lines on or off for every log level.
struct AccessLog: Sendable {
    private let logger: Logger

    /// The paths that load balancers and monitoring systems request all the time. Their lines have the level `debug`.
    private static let probes: Set = ["/healthz", "/readyz", "/metrics"]

    init(_ shop: Shop) {
        var logger = shop.logger
        switch shop.settings.accessLog {
        case true?: logger.logLevel = min(logger.logLevel, .info)
        case false?: logger.logLevel = .critical
        case nil: break
        }
        self.logger = logger
    }

    /// What a line contains beside the request and the status.
    struct Details {
        /// The path of the route, with a name for each parameter; nil if there is no such route.
        var route: String?
        let requestID: String
        let begun: ContinuousClock.Instant
        var environment: String?
        var app: String?
        /// The name of the caller of the control API; nil on other ports.
        var caller: String?
        let trace: TraceScope?
    }

    /// Writes the line of a request.
    func log(_ request: Request, _ status: Int, _ details: @autoclosure () -> Details) {
        guard logger.logLevel <= .info else { return }
        let details = details()
        let duration = ContinuousClock.now - details.begun
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue.cut(toBytes: 16))", "route": "\(details.route ?? "none")",
            "status": .stringConvertible(status), "request": "\(details.requestID)",
            "milliseconds": .stringConvertible(Int(duration / .milliseconds(1))),
        ]
        // The path of an unknown route can be anything, such as a token that was pasted into a URL.
        if let route = details.route, !AuditRecord.secretParameters.contains(where: { route.contains("{\($0)}") }) {
            metadata["path"] = "\(request.uri.path.cut(toBytes: 256))"
        }
        metadata["environment"] = details.environment.map { "\($0)" }
        metadata["app"] = details.app.map { "\($0.cut(toBytes: 256))" }
        metadata["by"] = details.caller.map { "\($0)" }
        ServiceContext.withValue(details.trace?.context) {
            if Self.probes.contains(request.uri.path) {
                logger.debug("a request was answered", metadata: metadata)
            } else {
                logger.info("a request was answered", metadata: metadata)
            }
        }
    }
}
