import Testing
import TillStorage

@Suite("Trace context of W3C")
struct TraceContextTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static let invalidParents: [[String]] = {
        let single: [String] = [
            "", "00", "---", "\(parent)-", "\(parent)-00", parent.uppercased(), "ff\(parent.dropFirst(2))",
            "0\(parent.dropFirst(2))", " \(parent)", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e473\u{0660}-00f067aa0ba902b7-01",
            "cc\(parent.dropFirst(2))-\(String(repeating: "a", count: 600))",
        ]
        return [[], [parent, parent]] + single.map { [$0] }
    }()

    private static let invalidStates: [[String]] = {
        let long = String(repeating: "x", count: 257)
        let single: [String] = [
            "a", "=1", "a=", "A=1", "a=1=2", "a=1,b", "a=\u{e9}", "a=\u{7}", "", ",", "a=\(long)", "\(long)=1",
            Array(repeating: "a=1", count: 33).joined(separator: ","),
        ]
        return single.map { [$0] } + [Array(repeating: "a=12345678", count: 60)]
    }()

    @Test("A valid traceparent is read, and a child has the same trace, flags and state, and another span")
    func valid() throws {
        let trace = try #require(TraceContext(parents: [Self.parent], states: ["rojo=1", " congo=t61,\tx@y=2 "]))
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.spanID == "00f067aa0ba902b7")
        #expect(trace.state == "rojo=1,congo=t61,x@y=2")
        #expect(trace.parent == Self.parent)
        let child = trace.child
        #expect(child.traceID == trace.traceID && child.spanID != trace.spanID && child.state == trace.state)
        // What Till sends is valid for the next program.
        #expect(TraceContext(parents: [child.parent], states: [child.state ?? ""]) == child)
        #expect(child.fields == ["traceparent": child.parent, "tracestate": "rojo=1,congo=t61,x@y=2"])
    }

    @Test(
        "An invalid traceparent is ignored",
        arguments: invalidParents
    )
    func invalid(parents: [String]) {
        #expect(TraceContext(parents: parents) == nil)
    }

    @Test("A later version may have more parts, and unknown flags are not passed on")
    func laterVersion() throws {
        let trace = try #require(TraceContext(parents: ["cc\(Self.parent.dropFirst(2).dropLast(2))ff-more"]))
        #expect(trace.parent == "\(Self.parent.dropLast(2))03")
    }

    @Test(
        "An invalid tracestate is dropped, and the trace continues",
        arguments: invalidStates
    )
    func invalidState(states: [String]) throws {
        let trace = try #require(TraceContext(parents: [Self.parent], states: states))
        #expect(trace.state == nil)
    }
}
