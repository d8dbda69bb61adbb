/// The parts of an operation that it cannot do without, measured in the same round. Their sum is the limit of the
/// operation: the time that it would take if Till added nothing.
struct Parts {
    /// The time of all parts for one operation, in seconds.
    private(set) var seconds = 0.0
    private(set) var names: [String] = []

    /// Adds a part.
    ///
    /// - Parameters:
    ///   - count: the number of times that the operation does it.
    ///   - rate: the number of times per second that the machine can do it.
    func adding(_ name: String, _ count: Double = 1, at rate: Double) -> Parts {
        var sum = self
        sum.seconds += count / rate
        sum.names.append(name)
        return sum
    }
}

extension Series {
    /// Records the part of the limit that an operation reaches, and the limit itself.
    mutating func note(_ name: String, _ rate: Double, of parts: Parts, _ bound: Bound) {
        note("limit: \(name) (\(parts.names.joined(separator: ", ")))", "1/s", 1 / parts.seconds)
        ratio("\(name) : its parts", rate * parts.seconds, bound)
    }
}
