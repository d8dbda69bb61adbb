import Logging
import TillStorage
import Tracing

/// A span that Till begins: a request, a delivery or an advance of a clock.
///
/// If the program has bootstrapped a tracer of swift-distributed-tracing, the tracer records the span. Without one,
/// there is a scope only for work that belongs to the trace of a caller. It then carries the ids of the trace into
/// the log and into deliveries.
package struct TraceScope: Sendable {
    /// The context in which the work of the span must run, so that its log lines and notifications have the ids.
    package let context: ServiceContext
    private let span: (any Span)?

    /// The span as W3C Trace Context describes it; nil if the tracer does not support this format.
    package var trace: TraceContext? { context.trace }

    /// Begins a span.
    ///
    /// - Parameters:
    ///   - name: the name of the span.
    ///   - parent: the span of another program, or of earlier work, that caused this work.
    /// - Returns: nil if there is neither a tracer nor a parent.
    package static func begin(_ name: String, _ kind: SpanKind, from parent: TraceContext? = nil) -> TraceScope? {
        let instrument = InstrumentationSystem.instrument
        // Without a tracer, this is the only cost.
        if parent == nil, instrument is NoOpInstrument { return nil }
        var context = ServiceContext.current ?? .topLevel
        if let parent { context.trace = parent.child }
        guard !(instrument is NoOpInstrument) else { return TraceScope(context: context, span: nil) }
        if let parent { instrument.extract(parent.fields, into: &context, using: Fields()) }
        let span = InstrumentationSystem.tracer.startAnySpan(name, context: context, ofKind: kind)
        var inner = span.context
        var fields: [String: String] = [:]
        instrument.inject(inner, into: &fields, using: Fields())
        inner.trace =
            TraceContext(
                parents: [fields[TraceContext.parentField]].compactMap(\.self),
                states: [fields[TraceContext.stateField]].compactMap(\.self)
            ) ?? context.trace
        return TraceScope(context: inner, span: span)
    }

    /// Ends the span.
    ///
    /// - Parameters:
    ///   - name: the name of the span; nil leaves it as it is.
    ///   - failure: why the work failed; nil if it succeeded.
    package func end(
        _ name: String? = nil,
        failure: String? = nil,
        _ attributes: KeyValuePairs<String, String?> = [:]
    ) {
        guard let span else { return }
        if let name { span.operationName = name }
        for case (let key, let value?) in attributes { span.attributes[key] = value }
        if let failure { span.setStatus(SpanStatus(code: .error, message: failure)) }
        span.end()
    }

    /// Reads and writes header fields, whose names are in lower case.
    private struct Fields: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key.lowercased()] }

        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key.lowercased()] = value
        }
    }
}

private enum TraceKey: ServiceContextKey {
    typealias Value = TraceContext
    static var nameOverride: String? { "till-trace" }
}

extension ServiceContext {
    /// The span of the current work in its trace.
    package var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

extension Logger.MetadataProvider {
    /// Adds `trace_id` and `span_id` to every log line of work that belongs to a trace.
    package static let traces = Logger.MetadataProvider {
        guard let trace = ServiceContext.current?.trace else { return [:] }
        return ["trace_id": "\(trace.traceID)", "span_id": "\(trace.spanID)"]
    }
}
