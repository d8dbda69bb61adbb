import HTTPTypes
import Hummingbird
import Logging
import TillShop
import TillStorage
import Tracing

extension TraceScope {
    /// Begins the span of a request.
    ///
    /// - Returns: nil if there is no tracer and the request belongs to no trace.
    static func begin(_ request: Request) -> TraceScope? {
        let parents = request.headers[values: .traceparent]
        let parent =
            parents.isEmpty ? nil : TraceContext(parents: parents, states: request.headers[values: .tracestate])
        return begin(request.method.rawValue, .server, from: parent)
    }

    /// Ends the span of a request.
    func end(_ request: Request, route: String?, status: Int, requestID: String) {
        end(
            "\(request.method.rawValue) \(route ?? "unknown route")",
            failure: status >= 500 ? "status \(status)" : nil,
            [
                "http.request.method": request.method.rawValue, "http.route": route,
                "http.response.status_code": String(status), "till.request": requestID,
            ]
        )
    }
}

extension RequestContext {
    /// The path of the route with a name for each parameter; nil if no route has the path and the method.
    var route: String? { endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } }

    /// The same context, whose log lines have the ids of the trace.
    func logging(_ trace: TraceScope?) -> Self {
        guard let trace = trace?.trace else { return self }
        var context = self
        context.logger[metadataKey: "trace_id"] = "\(trace.traceID)"
        context.logger[metadataKey: "span_id"] = "\(trace.spanID)"
        return context
    }
}

extension HTTPField.Name {
    fileprivate static let traceparent = field(TraceContext.parentField)
    fileprivate static let tracestate = field(TraceContext.stateField)
}
