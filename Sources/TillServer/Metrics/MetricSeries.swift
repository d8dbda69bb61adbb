import CoreMetrics
import Synchronization

/// The value of a metric for certain values of its labels. Changing it takes no lock.
protocol MetricSeries: AnyObject, Sendable {
    /// The lines of the series in the Prometheus text format.
    ///
    /// - Parameter labels: the labels without braces; empty without labels.
    func lines(_ name: String, _ labels: String) -> String
}

extension MetricSeries {
    fileprivate func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}

/// A number that only increases.
final class CounterSeries: MetricSeries, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    func lines(_ name: String, _ labels: String) -> String {
        line(name, labels, String(value.load(ordering: .relaxed)))
    }
}

/// A number that can increase and decrease. Before it is set, and while it is not a number, it is not exported.
final class GaugeSeries: MetricSeries, MeterHandler {
    private let value = AtomicDouble(.nan)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.store(value) }
    func increment(by amount: Double) { value.add(amount) }
    func decrement(by amount: Double) { value.add(-amount) }

    func lines(_ name: String, _ labels: String) -> String {
        let value = value.load()
        return value.isNaN ? "" : line(name, labels, value.prometheusText)
    }
}

/// Observations, counted by their size.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    /// A number of observations, as an object of its own, because an array cannot contain atomic values.
    private final class Bucket: Sendable {
        let count = Atomic<Int64>(0)
    }

    private let bounds: [Double]
    /// A bucket for each bound, and one for larger observations.
    private let buckets: [Bucket]
    private let sum = AtomicDouble(0)

    init(_ bounds: [Double]) {
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Bucket() }
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        buckets[index].count.wrappingAdd(1, ordering: .relaxed)
        sum.add(value)
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func lines(_ name: String, _ labels: String) -> String {
        var text = ""
        var count: Int64 = 0
        for (bound, bucket) in zip(bounds.map(\.prometheusText) + ["+Inf"], buckets) {
            count += bucket.count.load(ordering: .relaxed)
            let all = (labels.isEmpty ? "" : labels + ",") + "le=\"\(bound)\""
            text += line(name + "_bucket", all, String(count))
        }
        text += line(name + "_sum", labels, sum.load().prometheusText)
        return text + line(name + "_count", labels, String(count))
    }
}

/// A floating-point number that several threads change without a lock.
private final class AtomicDouble: Sendable {
    private let bits: Atomic<UInt64>

    init(_ value: Double) { bits = Atomic(value.bitPattern) }

    func load() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isDone, original) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if isDone { return }
            old = original
        }
    }
}

extension Double {
    /// The number in the Prometheus text format. Whole numbers have no fraction.
    fileprivate var prometheusText: String {
        self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : String(self)
    }
}
