import CoreMetrics
import Metrics
import Synchronization
import TillCore
import TillShop

/// Counts answers and measures their time, by environment and route, and counts refused tokens and answers of
/// verifyReceipt.
package final class RequestMeter: Sendable {
    private let factory: any MetricsFactory
    private let refusals: CounterFamily<TokenRefusal>
    private let receipts: CounterFamily<ReceiptResult>

    /// - Parameter factory: the metrics backend that creates the counters.
    package init(factory: any MetricsFactory) {
        self.factory = factory
        refusals = CounterFamily {
            Metric.tokenRefusals.counter($0.api.rawValue, $0.rawValue, factory: factory)
        }
        receipts = CounterFamily { Metric.receipts.counter($0.rawValue, factory: factory) }
    }

    /// The meter of a listener.
    ///
    /// - Parameters:
    ///   - environment: the environment of the listener; nil for the control port.
    ///   - paths: the templates of its routes. Other templates of the router are added when they are used.
    func listener(_ environment: StoreEnvironment?, routes paths: [String]) -> ListenerMeter {
        ListenerMeter(environment?.rawValue ?? "control", paths, factory)
    }

    /// Counts a request that was refused because of its token.
    func count(_ refusal: TokenRefusal) { refusals.count(refusal) }

    /// Counts an answer of verifyReceipt.
    func count(_ result: ReceiptResult) { receipts.count(result) }
}

/// Counts and measures the answers of a listener.
final class ListenerMeter: Sendable {
    private let environment: String
    private let factory: any MetricsFactory
    /// The meters of the known routes. The dictionary never changes, so that it needs no lock.
    private let routes: [String: RouteMeter]
    private let others = Mutex<[String: RouteMeter]>([:])

    fileprivate init(_ environment: String, _ paths: [String], _ factory: any MetricsFactory) {
        self.environment = environment
        self.factory = factory
        let known = Set(paths + [Self.none]).map { ($0, RouteMeter(environment, $0, factory)) }
        routes = Dictionary(uniqueKeysWithValues: known)
    }

    /// The route of a request that belongs to none.
    private static let none = "none"

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - path: the route's template; nil for a request without a route.
    ///   - begin: when the request arrived.
    func count(_ path: String?, _ status: Int, since begin: ContinuousClock.Instant) {
        let path = path ?? Self.none
        let route =
            routes[path]
            ?? others.withLock { others in
                if let route = others[path] { return route }
                let route = RouteMeter(environment, path, factory)
                others[path] = route
                return route
            }
        route.count(status, since: begin)
    }
}

/// Counts and measures the answers of one route. Its series are created at the first answer, because a server has many
/// routes and most servers use few.
private final class RouteMeter: Sendable {
    private final class Handlers: Sendable {
        let duration: Timer
        /// Most answers have this status.
        let success: Counter
        let others = Mutex<[Int: Counter]>([:])

        init(_ environment: String, _ path: String, _ factory: any MetricsFactory) {
            duration = Metric.requestDuration.timer(environment, path, factory: factory)
            success = Metric.requests.counter(environment, path, "200", factory: factory)
        }
    }

    private let environment: String
    private let path: String
    private let factory: any MetricsFactory
    private let handlers = AtomicLazyReference<Handlers>()

    init(_ environment: String, _ path: String, _ factory: any MetricsFactory) {
        (self.environment, self.path, self.factory) = (environment, path, factory)
    }

    func count(_ status: Int, since begin: ContinuousClock.Instant) {
        let handlers = handlers.load() ?? handlers.storeIfNil(Handlers(environment, path, factory))
        handlers.duration.recordNanoseconds((ContinuousClock.now - begin).nanoseconds)
        guard status != 200 else { return handlers.success.increment() }
        let counter = handlers.others.withLock { others in
            if let counter = others[status] { return counter }
            let counter = Metric.requests.counter(environment, path, String(status), factory: factory)
            others[status] = counter
            return counter
        }
        counter.increment()
    }
}
