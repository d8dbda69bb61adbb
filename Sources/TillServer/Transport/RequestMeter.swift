import CoreMetrics
import Metrics
import Synchronization
import TillCore

/// Counts answers by environment, route and status. A counter is created for the first answer of its kind, and kept.
package final class RequestMeter: Sendable {
    private struct Key: Hashable {
        let environment: String
        let route: String
        let status: Int
    }

    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])

    /// - Parameter factory: the metrics backend that creates the counters.
    package init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func count(_ environment: StoreEnvironment?, _ route: String, _ status: Int) {
        let key = Key(environment: environment?.rawValue ?? "control", route: route, status: status)
        let counter = counters.withLock { counters in
            if let counter = counters[key] { return counter }
            let counter = Counter(
                label: "till_requests_total",
                dimensions: [("environment", key.environment), ("route", route), ("status", String(status))],
                factory: factory
            )
            counters[key] = counter
            return counter
        }
        counter.increment()
    }
}
