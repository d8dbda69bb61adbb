import TillCore

/// The spans of time that a clock skipped, because it was advanced or frozen.
///
/// No notification is delivered while a clock skips a span. An attempt that was due inside a span is made afterwards,
/// and its date is the instant at which it was due. So one long advance records the same attempts as many short
/// advances.
package struct SkippedTime: Codable, Equatable, Sendable {
    /// A span of time that the clock skipped.
    package struct Span: Codable, Equatable, Sendable {
        /// The beginning of the span, where the clock stopped; nil if it is unknown what the clock skipped before `to`.
        package var from: Timestamp?
        /// The end of the span, where the clock continued or is frozen now.
        package var to: Timestamp

        /// Creates a span between two instants.
        package init(from: Timestamp?, to: Timestamp) {
            self.from = from
            self.to = to
        }
    }

    /// The spans, oldest first. They neither touch nor overlap.
    package private(set) var spans: [Span]

    /// The maximum number of spans. When there are more, the two oldest spans are merged.
    static let maxSpans = 64

    /// Creates a record of these spans, oldest first.
    package init(_ spans: [Span] = []) { self.spans = spans }

    /// Adds the time between two instants. If that time begins where the last span ends, it extends the last span.
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

    /// Removes the spans in which no pending delivery is due any more.
    ///
    /// - Parameter earliest: when the earliest pending delivery is due; nil when none is pending.
    package mutating func forget(before earliest: Timestamp?) {
        spans.removeAll { span in earliest.map { span.to < $0 } ?? true }
    }

    /// The date of a delivery attempt. If the attempt was due inside a span, the date is when it was due. If the
    /// attempt was already late when the clock began to skip a span, the date is the beginning of the span. Otherwise
    /// it is `now`.
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
