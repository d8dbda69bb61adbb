import CoreMetrics
import Metrics
import Synchronization
import TillShop

/// The backend of swift-metrics for the metrics of `Metric`. It writes them in the Prometheus text format, version
/// 0.0.4. A metric that `Metric` does not declare, or declares with another type, is not collected.
package final class PrometheusFigures: MetricsFactory {
    /// The series of each metric, by the text of their labels.
    private let all = Mutex<[Metric: [String: any MetricSeries]]>([:])

    /// Creates a collection without series.
    package init() {}

    /// All metrics in the Prometheus text format, sorted by name.
    package func text() -> String {
        let all = all.withLock { $0 }
        var text = ""
        for metric in Metric.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            text += "# HELP \(metric.rawValue) \(Self.escaped(metric.help))\n"
            text += "# TYPE \(metric.rawValue) \(metric.kind.name)\n"
            for (labels, series) in (all[metric] ?? [:]).sorted(by: { $0.key < $1.key }) {
                text += series.lines(metric.rawValue, labels)
            }
        }
        return text
    }

    /// Returns the counter with this label and these dimensions, and creates it at the first call.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let counter: CounterSeries? = series(label, dimensions) { $0 == .counter ? CounterSeries() : nil }
        return counter ?? NOOPMetricsHandler.instance
    }

    /// Returns the gauge with this label and these dimensions, and creates it at the first call.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let gauge: GaugeSeries? = series(label, dimensions) { $0 == .gauge ? GaugeSeries() : nil }
        return gauge ?? NOOPMetricsHandler.instance
    }

    /// Returns the histogram with this label and these dimensions, and creates it at the first call.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Returns the histogram with this label and these dimensions, in seconds, and creates it at the first call.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Does nothing, because counters are exported until the process ends.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing, because gauges are exported until the process ends.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing, because histograms are exported until the process ends.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing, because histograms are exported until the process ends.
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramSeries? {
        series(label, dimensions) { kind in
            guard case .histogram(let bounds) = kind else { return nil }
            return HistogramSeries(bounds)
        }
    }

    private func series<Series: MetricSeries>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ make: (Metric.Kind) -> Series?
    ) -> Series? {
        guard let metric = Metric(rawValue: label), dimensions.map(\.0) == metric.labels else { return nil }
        let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1).replacing("\"", with: "\\\""))\"" }
        let key = labels.joined(separator: ",")
        return all.withLock { all in
            if let known = all[metric]?[key] { return known as? Series }
            guard let new = make(metric.kind) else { return nil }
            all[metric, default: [:]][key] = new
            return new
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
}
