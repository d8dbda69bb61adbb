import Foundation

/// The median, minimum and maximum of several rounds.
struct Figure: Codable {
    let name: String
    let unit: String
    let median: Double
    let least: Double
    let most: Double
    /// The bound of a ratio; nil for a figure without a bound.
    let bound: Bound?

    init(_ name: String, unit: String, rounds: [Double], bound: Bound?) {
        let sorted = rounds.sorted()
        self.name = name
        self.unit = unit
        self.bound = bound
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = sorted[0]
        most = sorted[sorted.count - 1]
    }

    /// Whether the median is within the bound; nil without a bound.
    var isMet: Bool? { bound.map { $0.permits(median) } }
}

/// The required bound of a ratio, and the value to aim at.
struct Bound: Codable {
    let required: Double
    let goal: Double
    /// True if smaller values are better.
    let isCeiling: Bool

    static func atLeast(_ required: Double, goal: Double? = nil) -> Bound {
        Bound(required: required, goal: goal ?? required, isCeiling: false)
    }

    static func atMost(_ required: Double) -> Bound { Bound(required: required, goal: required, isCeiling: true) }

    func permits(_ value: Double) -> Bool { isCeiling ? value <= required : value >= required }

    func reaches(_ value: Double) -> Bool { isCeiling ? value <= goal : value >= goal }
}

/// The values of several rounds by name. The names are in the order in which they first occurred.
struct Series {
    private struct Metric {
        let name: String
        let unit: String
        let bound: Bound?
    }

    private var lines: [Metric] = []
    private var values: [String: [Double]] = [:]

    mutating func note(_ name: String, _ unit: String, _ value: Double, _ bound: Bound? = nil) {
        if values[name] == nil { lines.append(Metric(name: name, unit: unit, bound: bound)) }
        values[name, default: []].append(value)
    }

    /// Records the requests per second of a load, and the server's processor time per request.
    mutating func note(_ name: String, _ load: Load) {
        note(name, "1/s", load.rate)
        if let cost = load.microseconds { note("  \(name): CPU of the server", "µs", cost) }
    }

    mutating func ratio(_ name: String, _ value: Double, _ bound: Bound? = nil) { note(name, "", value, bound) }

    /// The figures, followed by the ratios.
    var figures: [Figure] {
        let all = lines.map { Figure($0.name, unit: $0.unit, rounds: values[$0.name] ?? [], bound: $0.bound) }
        return all.filter { !$0.unit.isEmpty } + all.filter(\.unit.isEmpty)
    }
}

/// The time that a closure takes, in seconds.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return (clock.now - start) / .seconds(1)
}
