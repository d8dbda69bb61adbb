import Metrics

/// Creates the handlers of the metrics. The values of the labels have the order of ``Metric/labels``.
extension Metric {
    /// A counter for these values of the labels.
    package func counter(_ values: String..., factory: any MetricsFactory) -> Counter {
        Counter(label: rawValue, dimensions: dimensions(values), factory: factory)
    }

    /// A gauge for these values of the labels.
    package func gauge(_ values: String..., factory: any MetricsFactory) -> Meter {
        Meter(label: rawValue, dimensions: dimensions(values), factory: factory)
    }

    /// A histogram of durations for these values of the labels.
    package func timer(_ values: String..., factory: any MetricsFactory) -> Timer {
        Timer(label: rawValue, dimensions: dimensions(values), factory: factory)
    }

    /// A histogram of numbers for these values of the labels.
    package func recorder(_ values: String..., factory: any MetricsFactory) -> Recorder {
        Recorder(label: rawValue, dimensions: dimensions(values), aggregate: true, factory: factory)
    }

    private func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

/// A counter for each value of a label. All are created at once, so that counting needs no lock, and each series is
/// exported from the start.
package struct CounterFamily<Value: CaseIterable & Hashable & Sendable>: Sendable {
    private let counters: [Value: Counter]

    /// Creates the counters.
    package init(_ make: (Value) -> Counter) {
        counters = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0, make($0)) })
    }

    /// Counts one occurrence of a value.
    package func count(_ value: Value) { counters[value]?.increment() }

    /// Counts several occurrences of a value.
    func count(_ value: Value, _ number: Int) { counters[value]?.increment(by: number) }
}
