import TillCore

/// The spans of time that a clock skipped: advances, and the time it was frozen.
///
/// No notification could be delivered while the clock was inside a span. An attempt that was due there is made
/// afterwards and dated when it was due, so that one long advance gives the same attempts as many short ones.
package struct SkippedTime: Codable, Equatable, Sendable {
    /// A jump of the clock from one instant to another.
    package struct Span: Codable, Equatable, Sendable {
        /// Where the clock stopped; nil when nothing is known of the time before it was frozen.
        package var from: Timestamp?
        /// Where the clock continued, or where it is frozen now.
        package var to: Timestamp

        /// A span between two instants.
        package init(from: Timestamp?, to: Timestamp) {
            self.from = from
            self.to = to
        }
    }

    /// Oldest first; they neither touch nor overlap.
    package private(set) var spans: [Span]

    /// Beyond this count the two oldest spans become one.
    static let maxSpans = 64

    /// Some spans, oldest first.
    package init(_ spans: [Span] = []) { self.spans = spans }

    /// Adds the time between two instants. A span that begins where the last one ends extends it.
    package mutating func skip(from: Timestamp, to: Timestamp) {
        if let last = spans.last, last.to >= from {
            spans[spans.count - 1].to = max(last.to, to)
        } else {
            spans.append(Span(from: from, to: to))
        }
        guard spans.count > Self.maxSpans else { return }
        spans[1].from = spans[0].from
        spans.removeFirst()
    }

    /// Removes the spans in which nothing is due any more.
    ///
    /// - Parameter earliest: when the earliest pending delivery is due; nil when none is pending.
    package mutating func forget(before earliest: Timestamp?) {
        spans.removeAll { span in earliest.map { span.to < $0 } ?? true }
    }

    /// The date of an attempt: when it was due, if that was inside a span; the beginning of the span, if it was already
    /// late when the clock was set forward; otherwise the present.
    ///
    /// - Parameters:
    ///   - due: when the attempt was due.
    ///   - now: what the clock shows when the attempt ends.
    package func dateOfAttempt(due: Timestamp, now: Timestamp) -> Timestamp {
        guard let span = spans.first(where: { $0.to >= due }) else { return now }
        return min(now, span.from.map { max($0, due) } ?? due)
    }

    /// Whether a clock can show every instant in the spans (`ClockState.isPossible`).
    var isPossible: Bool {
        spans.allSatisfy { span in
            ClockState.frozen(at: span.to).isPossible
                && span.from.map { $0 <= span.to && ClockState.frozen(at: $0).isPossible } ?? true
        }
    }
}
