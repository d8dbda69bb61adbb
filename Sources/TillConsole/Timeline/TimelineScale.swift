import Foundation
import TillCore

/// Maps dates to horizontal positions.
///
/// A linear scale cannot show a three-day trial next to a year, or five sandbox minutes next to an idle month. So each
/// span between two boundaries has its own scale: longer spans are wider, but less than in proportion.
struct TimelineScale: Sendable {
    /// The boundaries in ascending order, with their horizontal positions.
    let boundaries: [(instant: Timestamp, x: Double)]

    /// The maximum width of a period of median length: in pixels, and as a part of the whole width, so that a single
    /// period does not leave most of a wide timeline empty.
    private static let (widestPeriod, widestPart) = (230.0, 0.6)

    /// Creates a scale over the boundaries of a history.
    ///
    /// - Parameters:
    ///   - instants: the boundaries between spans, in any order.
    ///   - lapses: spans without events, which are drawn short.
    ///   - usual: the median length of a period.
    ///   - range: the first and last position.
    init(
        over instants: some Sequence<Timestamp>,
        lapses: [TimelineStretch],
        usual: Int64,
        onto range: ClosedRange<Double>
    ) {
        let rising = Set(instants).sorted()
        let weights = zip(rising, rising.dropFirst()).map { start, end in
            let share = Double(end.milliseconds - start.milliseconds) / Double(max(usual, 1))
            let isLapse = lapses.contains { $0.start <= start && end <= $0.end }
            return isLapse
                ? min(max(pow(share, 0.4) * 0.8, 0.6), 1.5)
                : min(max(pow(share, 0.6), 0.22), 3)
        }
        let whole = max(weights.reduce(0, +), .ulpOfOne)
        let width = range.upperBound - range.lowerBound
        let measure = min(width / whole, max(Self.widestPeriod, width * Self.widestPart))
        var x = range.lowerBound
        var places = rising.prefix(1).map { (instant: $0, x: x) }
        for (instant, weight) in zip(rising.dropFirst(), weights) {
            x += weight * measure
            places.append((instant, x))
        }
        boundaries = places
    }

    /// The position of a date; dates outside the scale are clamped.
    func x(_ instant: Timestamp) -> Double {
        guard let first = boundaries.first, let last = boundaries.last else { return 0 }
        if instant <= first.instant { return first.x }
        if instant >= last.instant { return last.x }
        guard let after = boundaries.firstIndex(where: { $0.instant >= instant }) else { return last.x }
        let (left, right) = (boundaries[after - 1], boundaries[after])
        let share =
            Double(instant.milliseconds - left.instant.milliseconds)
            / Double(right.instant.milliseconds - left.instant.milliseconds)
        return left.x + share * (right.x - left.x)
    }
}
