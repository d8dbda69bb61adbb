import InMemoryTracing
import TillStorage
import Tracing

/// A tracer that keeps its spans in memory, and passes them on as W3C Trace Context, as tracers of programs do.
struct W3CTracer: Tracer {
    private let memory = InMemoryTracer(
        idGenerator: InMemoryTracer.IDGenerator(
            nextTraceID: { "a" + TraceContext.newID + TraceContext.newID.dropLast() },
            nextSpanID: { TraceContext.newID }
        )
    )

    var finished: [FinishedInMemorySpan] { memory.finishedSpans }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func activeSpan(identifiedBy context: ServiceContext) -> InMemorySpan? { memory.activeSpan(identifiedBy: context) }

    func forceFlush() { memory.forceFlush() }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parents = [extractor.extract(key: "traceparent", from: carrier)].compactMap(\.self)
        guard let parent = TraceContext(parents: parents) else { return }
        context.inMemorySpanContext = InMemorySpanContext(
            traceID: parent.traceID,
            spanID: parent.spanID,
            parentSpanID: nil
        )
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }
}

extension TraceContext {
    /// A random id of 16 hexadecimal digits.
    fileprivate static var newID: String {
        let digits = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
