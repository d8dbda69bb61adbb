import Hummingbird
import TillShop
import Tracing

/// The context of a request that has an id.
protocol IdentifiedContext: RequestContext {
    /// The id, which the answer contains.
    var requestID: String { get }
}

/// A request from its arrival to its answer: it runs in its trace, is counted and measured, and has a line in the
/// access log.
struct RequestRecord {
    let begun = ContinuousClock.now
    private let trace: TraceScope?

    init(_ request: Request) { trace = TraceScope.begin(request) }

    /// The same context, whose log lines have the ids of the trace.
    func logging<Context: RequestContext>(_ context: Context) -> Context { context.logging(trace) }

    /// Runs the rest of the chain in the trace of the request.
    func run<Context>(
        _ request: Request,
        _ context: Context,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let trace else { return try await next(request, context) }
        return try await ServiceContext.withValue(trace.context) { try await next(request, context) }
    }

    /// Counts and logs the answer, and ends the span.
    ///
    /// - Parameters:
    ///   - environment: the environment of the request, and `app` its app, as far as they are known.
    ///   - caller: the name of the caller of the control API; nil on other ports.
    func end(
        _ request: Request,
        _ status: Int,
        _ context: some IdentifiedContext,
        _ meter: ListenerMeter,
        _ log: AccessLog,
        environment: String?,
        app: String?,
        caller: String? = nil
    ) {
        meter.count(context.route, status, since: begun)
        log.log(
            request,
            status,
            AccessLog.Details(
                route: context.route,
                requestID: context.requestID,
                begun: begun,
                environment: environment,
                app: app,
                caller: caller,
                trace: trace
            )
        )
        trace?.end(request, route: context.route, status: status, requestID: context.requestID)
    }
}
