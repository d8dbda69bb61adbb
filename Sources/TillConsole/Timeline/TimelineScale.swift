import Foundation
import TillCore

/// Where an instant stands on a picture.
///
/// Lengths of time differ by too much for one measure: a trial of three days beside a year, five minutes of the sandbox
/// beside a month in which nothing happened. So every stretch between two boundaries has a measure of its own, and a
/// longer one is drawn longer, but by less than it is.
package struct TimelineScale: Sendable {
    /// Rising; each with its place.
    package let boundaries: [(instant: Timestamp, x: Double)]

    /// A usual period is not drawn wider, however few there are.
    private static let widestPeriod = 230.0

    /// A scale over the boundaries of a story.
    ///
    /// - Parameters:
    ///   - instants: where a stretch ends and another begins, in any order.
    ///   - lapses: stretches in which nothing happened: they are drawn short.
    ///   - usual: the length of a period that is neither long nor short.
    ///   - range: the places at the beginning and at the end.
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
        let measure = min((range.upperBound - range.lowerBound) / whole, Self.widestPeriod)
        var x = range.lowerBound
        var places = rising.prefix(1).map { (instant: $0, x: x) }
        for (instant, weight) in zip(rising.dropFirst(), weights) {
            x += weight * measure
            places.append((instant, x))
        }
        boundaries = places
    }

    /// The place of an instant; one outside of the picture stands at its edge.
    package func x(_ instant: Timestamp) -> Double {
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
