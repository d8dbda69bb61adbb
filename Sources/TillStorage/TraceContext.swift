/// A span in a distributed trace, as the header fields `traceparent` and `tracestate` of W3C Trace Context contain it.
package struct TraceContext: Equatable, Sendable {
    /// The id of the trace: 32 hexadecimal digits in lower case.
    package let traceID: String
    /// The id of the span: 16 hexadecimal digits in lower case.
    package let spanID: String
    /// The value of `tracestate`; nil if there is none.
    package let state: String?
    /// Bit 0: the trace is sampled. Bit 1: the trace id is random. All other bits are 0.
    private let flags: UInt8

    /// The name of the header field that contains the trace and the span.
    package static let parentField = "traceparent"
    /// The name of the header field that contains data of tracing systems.
    package static let stateField = "tracestate"

    /// The limits of W3C Trace Context for `tracestate`.
    private static let maxState = 512
    private static let maxMembers = 32
    private static let maxKey = 256
    private static let knownFlags: UInt8 = 0b11

    /// Reads the header fields of a request.
    ///
    /// - Parameters:
    ///   - parents: the values of all `traceparent` fields. A request must have exactly one.
    ///   - states: the values of all `tracestate` fields. If they are invalid, the context has none.
    /// - Returns: nil if `traceparent` is missing or invalid.
    package init?(parents: [String], states: [String] = []) {
        guard parents.count == 1, let parent = parents.first, parent.utf8.count <= Self.maxState else { return nil }
        let parts = parent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff",
            // Later versions may add parts, version 00 has exactly four.
            parts[0] != "00" || parts.count == 4,
            Self.isHexadecimal(parts[1], 32), parts[1].contains(where: { $0 != "0" }),
            Self.isHexadecimal(parts[2], 16), parts[2].contains(where: { $0 != "0" }),
            Self.isHexadecimal(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
        self.flags = flags & Self.knownFlags
        state = Self.checked(states)
    }

    private init(traceID: String, spanID: String, state: String?, flags: UInt8) {
        (self.traceID, self.spanID, self.state, self.flags) = (traceID, spanID, state, flags)
    }

    /// A new span of the same trace.
    package var child: TraceContext {
        let digits = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        let spanID = String(repeating: "0", count: 16 - digits.count) + digits
        return TraceContext(traceID: traceID, spanID: spanID, state: state, flags: flags)
    }

    /// The value of `traceparent`.
    package var parent: String { "00-\(traceID)-\(spanID)-0\(flags)" }

    /// The header fields of a request that this span sends.
    package var fields: [String: String] {
        var fields = [Self.parentField: parent]
        fields[Self.stateField] = state
        return fields
    }

    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (97...102).contains($0) }
    }

    /// The list members of `tracestate`, joined; nil if there are none or if one of them is invalid.
    private static func checked(_ states: [String]) -> String? {
        guard states.reduce(0, { $0 + $1.utf8.count + 1 }) <= maxState + 1 else { return nil }
        let members = states.flatMap { $0.split(separator: ",") }
            .map { $0.drop { $0 == " " || $0 == "\t" } }
            .map { $0.reversed().drop { $0 == " " || $0 == "\t" }.reversed() }
            .map { String($0) }.filter { !$0.isEmpty }
        guard !members.isEmpty, members.count <= maxMembers, members.allSatisfy(isMember) else { return nil }
        return members.joined(separator: ",")
    }

    /// Whether a text is `key=value` with the characters that the standard allows.
    private static func isMember(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...maxKey).contains(parts[0].count), (1...maxKey).contains(parts[1].count) else {
            return false
        }
        let isKey = parts[0].allSatisfy { byte in
            (97...122).contains(byte) || (48...57).contains(byte) || "_-*/@".utf8.contains(byte)
        }
        return isKey && parts[1].allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
