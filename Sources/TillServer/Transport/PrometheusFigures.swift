import CoreMetrics
import Metrics
import Synchronization

/// Collects the metrics of swift-metrics, and writes them in the Prometheus text format, version 0.0.4.
package final class PrometheusFigures: MetricsFactory {
    private struct Key: Hashable {
        let label: String
        let dimensions: [String]
    }

    private let cells = Mutex<[Key: Cell]>([:])

    /// Creates a collection without metrics.
    package init() {}

    /// All metrics in the Prometheus text format, sorted by name.
    package func text() -> String {
        let all = cells.withLock { $0 }
        var text = ""
        for (label, group) in Dictionary(grouping: all, by: \.key.label).sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(label) \(group.first?.value.kind ?? "untyped")\n"
            let lines = group.map { key, cell in
                let dimensions = key.dimensions.isEmpty ? "" : "{\(key.dimensions.joined(separator: ","))}"
                return cell.lines(label, dimensions)
            }
            text += lines.sorted().joined()
        }
        return text
    }

    /// Returns the `counter` with this label and these dimensions, and creates it at the first call.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, dimensions, "counter")
    }

    /// Returns a `gauge`, which has the last value.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(label, dimensions, "gauge")
    }

    /// Returns a `summary` with sum and count if values are aggregated, otherwise a `gauge`.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        cell(label, dimensions, aggregate ? "summary" : "gauge")
    }

    /// Returns a `summary` in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(label, dimensions, "summary")
    }

    /// Does nothing, because counters are exported until the process ends.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing, because gauges are exported until the process ends.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing, because recorders are exported until the process ends.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing, because timers are exported until the process ends.
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func cell(_ label: String, _ dimensions: [(String, String)], _ kind: String) -> Cell {
        let key = Key(label: label, dimensions: dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" })
        return cells.withLock { cells in
            if let cell = cells[key] { return cell }
            let cell = Cell(kind: kind)
            cells[key] = cell
            return cell
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// The values of one metric: a count, a last value, or a sum with a count.
private final class Cell: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    let kind: String
    private let values = Mutex<(value: Double, count: Int64)>((0, 0))

    init(kind: String) {
        self.kind = kind
    }

    func lines(_ label: String, _ dimensions: String) -> String {
        let (value, count) = values.withLock { $0 }
        guard kind == "summary" else { return "\(label)\(dimensions) \(Self.number(value))\n" }
        return "\(label)_sum\(dimensions) \(Self.number(value))\n\(label)_count\(dimensions) \(count)\n"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    func increment(by amount: Int64) { values.withLock { $0.value += Double(amount) } }
    func reset() { values.withLock { $0 = (0, 0) } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { values.withLock { $0.value = value } }
    func increment(by amount: Double) { values.withLock { $0.value += amount } }
    func decrement(by amount: Double) { values.withLock { $0.value -= amount } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { values.withLock { $0 = ($0.value + value, $0.count + 1) } }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
