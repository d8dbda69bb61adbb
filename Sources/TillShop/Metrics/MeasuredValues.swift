import Logging
import Metrics
import Synchronization
import TillCore
import TillStorage

/// The metrics whose values are read when `/metrics` is requested, because they are states and not counts of events.
///
/// Values from memory are read for each request. Values from the store are kept for two seconds, or for twenty times as
/// long as it took to read them: however large the store is and however often it is asked, this costs at most a
/// twentieth of one connection's time. After a failed read, the store is asked again after two seconds.
package final class MeasuredValues: Sendable {
    private struct State {
        var reading: Task<Void, Never>?
        var validUntil = ContinuousClock.now
        var isUp = true
    }

    private let shop: Shop
    private let ticker: Ticker?
    private let directory: String?
    private let gauges: MeasuredGauges
    private let state = Mutex(State())

    private static let shortestLife = Duration.seconds(2)
    private static let lifePerCost = 20
    /// The maximum time that a request waits for the store. It is less than the timeout of a scrape, so that a store
    /// that does not answer hides no other metric.
    private static let maxWait = Duration.seconds(2)
    /// The limits of the count of overdue accounts, on each clock and of clocks.
    private static let (maxOverdue, maxClocks) = (1_000, 20)

    /// Creates the gauges. Values that never change are set now.
    ///
    /// - Parameters:
    ///   - ticker: knows which clocks are behind; nil for a server that processes no due events.
    ///   - directory: the folder of the embedded engine; nil for a server that stores nothing on disk.
    ///   - version: the version of Till.
    ///   - tlsExpiration: the end of validity of the TLS certificate, in seconds since 1970; nil without TLS.
    package init(
        _ shop: Shop,
        ticker: Ticker?,
        directory: String?,
        version: String,
        tlsExpiration: Double?,
        metrics: any MetricsFactory
    ) {
        self.shop = shop
        self.ticker = ticker
        self.directory = directory
        gauges = MeasuredGauges(shop, metrics)
        Metric.buildInfo.gauge(version, factory: metrics).set(1)
        Metric.startTime.gauge(factory: metrics).set(Double(shop.wallClock().milliseconds) / 1_000)
        if let tlsExpiration { Metric.tlsExpiration.gauge(factory: metrics).set(tlsExpiration) }
    }

    /// Reads the values. If the store does not answer in time, its values stay as they are until it does.
    package func update() async {
        ticker?.measureLag()
        gauges.set(.quarantinedAccounts, shop.quarantine.all.count)
        if let use = shop.storage.connections {
            gauges.set(.connectionsInUse, use.inUse)
            gauges.set(.connectionLimit, use.limit)
            gauges.set(.connectionsWaiting, use.waiting)
        }
        if let cluster = shop.cluster {
            gauges.set(.clusterNodes, cluster.nodes.count)
            gauges.set(.clusterMember, cluster.isMember ? 1 : 0)
            gauges.set(.clusterLeases, cluster.leaseCount)
            gauges.set(.clusterPartitions, cluster.parts.reduce(0) { $0 + $1.count })
        }
        if let reading = readingNow() { await wait(for: reading) }
    }

    // MARK: Values of the store

    /// The read in progress, which begins now if the values are outdated; nil if they are not.
    private func readingNow() -> Task<Void, Never>? {
        state.withLock { state in
            if let reading = state.reading { return reading }
            guard ContinuousClock.now >= state.validUntil else { return nil }
            let reading = Task { await read() }
            state.reading = reading
            return reading
        }
    }

    private func wait(for reading: Task<Void, Never>) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let limit = Task {
            try? await Task.sleep(for: Self.maxWait)
            end.yield()
        }
        Task {
            await reading.value
            end.yield()
        }
        _ = await ends.first { _ in true }
        limit.cancel()
    }

    private func read() async {
        let begin = ContinuousClock.now
        var isUp = false
        do {
            try await readStore()
            isUp = true
            noteStore(isUp: true)
        } catch {
            gauges.clearStore()
            if noteStore(isUp: false) {
                shop.logger.warning(
                    "the store did not answer for the metrics",
                    metadata: ["cause": "\(error.logText)"]
                )
            }
        }
        let end = ContinuousClock.now
        let life = Self.life(ofReadIn: end - begin, isUp: isUp)
        state.withLock { state in
            state.validUntil = end + life
            state.reading = nil
        }
    }

    /// How long the values of a read are kept.
    ///
    /// - Parameters:
    ///   - cost: how long the read took.
    ///   - isUp: whether it succeeded. A failed read can end with a long timeout, and says nothing about the next one.
    static func life(ofReadIn cost: Duration, isUp: Bool) -> Duration {
        isUp ? max(shortestLife, cost * lifePerCost) : shortestLife
    }

    /// Sets whether the store answered.
    ///
    /// - Returns: whether this has changed.
    @discardableResult
    private func noteStore(isUp: Bool) -> Bool {
        gauges.set(.storeUp, isUp ? 1 : 0)
        return state.withLock { state in
            defer { state.isUp = isUp }
            return state.isUp != isUp
        }
    }

    private func readStore() async throws {
        let size = try await shop.storage.size()
        gauges.set(.storeSize, Int(size.bytes))
        if let bytes = size.walBytes {
            gauges.set(.storeWAL, Int(bytes))
            if let free = directory.flatMap(DiskSpaceMonitor.free) { gauges.set(.storeFree, Int(clamping: free)) }
        }
        let pending = try await shop.storage.pendingDeliveriesByClock()
        for environment in StoreEnvironment.allCases {
            let own = pending.filter { $0.clock.scope.environment == environment }
            let ages = own.map { shop.now(on: $0.clock).milliseconds - $0.oldest.milliseconds }
            gauges.set(pending: own.reduce(0) { $0 + $1.count }, in: environment)
            gauges.set(oldestAge: Double(max(0, ages.max() ?? 0)) / 1_000, in: environment)
        }
        var overdue = 0
        for (clock, now) in (ticker?.clocksBehind ?? []).prefix(Self.maxClocks) {
            for part in shop.partsHere {
                let limit = Self.maxOverdue
                overdue += try await shop.storage.dueAccounts(on: clock, until: now, in: part, limit: limit).count
            }
        }
        gauges.set(.overdueDeadlines, overdue)
    }
}

/// The gauges of ``MeasuredValues``. A gauge without a value is not exported.
private struct MeasuredGauges: Sendable {
    private let plain: [Metric: Meter]
    private let pending: [StoreEnvironment: Meter]
    private let ages: [StoreEnvironment: Meter]

    private static let ofStore: [Metric] = [.storeSize, .storeWAL, .storeFree, .overdueDeadlines]
    private static let ofMemory: [Metric] = [.storeUp, .quarantinedAccounts]
    private static let ofPool: [Metric] = [.connectionsInUse, .connectionLimit, .connectionsWaiting]
    private static let ofCluster: [Metric] = [.clusterNodes, .clusterMember, .clusterLeases, .clusterPartitions]

    init(_ shop: Shop, _ factory: any MetricsFactory) {
        var metrics = Self.ofStore + Self.ofMemory
        if shop.storage.connections != nil { metrics += Self.ofPool }
        if shop.cluster != nil { metrics += Self.ofCluster }
        plain = Dictionary(uniqueKeysWithValues: metrics.map { ($0, $0.gauge(factory: factory)) })
        func perEnvironment(_ metric: Metric) -> [StoreEnvironment: Meter] {
            Dictionary(
                uniqueKeysWithValues: StoreEnvironment.allCases.map {
                    ($0, metric.gauge($0.rawValue, factory: factory))
                }
            )
        }
        pending = perEnvironment(.deliveriesPending)
        ages = perEnvironment(.oldestPendingDelivery)
    }

    func set(_ metric: Metric, _ value: Int) { plain[metric]?.set(value) }
    func set(pending count: Int, in environment: StoreEnvironment) { pending[environment]?.set(count) }
    func set(oldestAge seconds: Double, in environment: StoreEnvironment) { ages[environment]?.set(seconds) }

    /// Removes the values of the store, because old values would look like present ones.
    func clearStore() {
        for gauge in Self.ofStore.compactMap({ plain[$0] }) + Array(pending.values) + Array(ages.values) {
            gauge.set(Double.nan)
        }
    }
}
