import TillCore
import TillStorage

/// What the shop does as a node of a cluster: preconditions of writes, and this node's share of the work.
extension Shop {
    /// Runs a body that depends on what a clock shows. If another node changes a clock or other cached configuration
    /// before the body has written, the body is repeated.
    func asOfNow<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await body() }
        for _ in 0..<Self.maxBeginnings {
            do {
                return try await WritePrecondition.$held.withValue(try cluster.preconditionNow()) { try await body() }
            } catch is PreconditionFailed {
                try checkStopping()
                try await cluster.catchUp()
            }
        }
        throw ShopBusy(reason: "other nodes changed clocks or catalogs \(Self.maxBeginnings) times meanwhile")
    }

    private static let maxBeginnings = 32

    /// The epoch of an app's data. Deliveries that were read in one epoch must not be written in another epoch.
    struct Epoch: Equatable, Sendable {
        /// The epoch of the app in this node's lock.
        let here: AsyncReadWriteLock.Epoch
        /// The epoch of the shared database in which the app's data was last replaced, as far as this node knows; nil
        /// if the store is not shared.
        let everywhere: Int64?
    }

    /// The current epoch of an app.
    func epoch(of app: String) -> Epoch {
        Epoch(here: gate.epoch(of: app), everywhere: cluster?.replacements.epoch(of: app))
    }

    /// Waits until every node has loaded the configuration that this node wrote.
    package func settleNodes() async { await cluster?.settle() }

    // MARK: Due work of this node

    /// The partitions assigned to this node; nil if it is the only node and works on all partitions.
    private var parts: [Range<Int64>]? { cluster?.parts }

    /// The partitions of this node for reads of the store. A read takes one range, or nil for all partitions.
    var partsHere: [Range<Int64>?] { parts ?? [nil] }

    /// The first pending deliveries that this node makes: for a URL, the deliveries in its partitions; for its own
    /// listener, all.
    func pendingDeliveriesHere(to endpoint: EndpointRecord, on clock: ClockName, limit: Int) async throws
        -> DueDeliveries
    {
        guard let cluster, let parts, !endpoint.isListener else {
            return try await storage.dueDeliveries(to: endpoint.key, on: clock, until: .never, in: nil, limit: limit)
        }
        var pending = DueDeliveries()
        for part in parts {
            let found = try await cluster.storage.dueDeliveries(
                to: endpoint.key,
                on: clock,
                until: .never,
                in: DeliveryPart(partitions: part, epoch: cluster.replacements.epoch(of: clock.scope.app)),
                limit: limit
            )
            pending = pending + found
        }
        return pending
    }

    /// Begins a delivery; false if its partition is assigned to another node, which makes the delivery.
    func begin(_ delivery: Delivery, to endpoint: EndpointRecord) -> Bool {
        guard let cluster else { return true }
        return endpoint.isListener || cluster.begin(in: delivery.notification.partition)
    }

    /// Ends a delivery that was begun with ``begin(_:to:)``.
    func end(_ delivery: Delivery, to endpoint: EndpointRecord) {
        if !endpoint.isListener { cluster?.end(in: delivery.notification.partition) }
    }

    /// Whether this node runs the jobs of an app's environment.
    func doesJobs(of scope: AccountScope) -> Bool {
        cluster?.worksOn(Partition(environment: scope.environment, app: scope.app, customer: "")) ?? true
    }

    // MARK: Listeners

    /// The next notification for a listener. All listeners of an app's environment must be connected to the same node.
    package func nextOffer(in scope: AccountScope, wait: Duration) async throws -> Listeners.Offer? {
        let hasPrimary = registry.rules(of: scope).primary != nil
        if let cluster, listeners.registration(in: scope) == nil || !cluster.has(scope.listenerLease) {
            let endpoint = hasPrimary ? EndpointRecord.listening : EndpointRecord.primary
            let lease = Lease(name: scope.listenerLease, node: cluster.id, body: endpoint)
            guard try await !cluster.take([lease]).isEmpty else {
                throw ShopBusy(reason: "a listener is connected to another node, or was a moment ago")
            }
            // An error is ignored, because the next heartbeat publishes the lease anyway.
            try? await cluster.storage.publish(NodeMessage.nodes)
        }
        return await listeners.next(in: scope, hasPrimary: hasPrimary, wait: wait)
    }

    /// Releases the lease for listeners, so that they can connect to another node.
    func endListening(in scope: AccountScope) async {
        if let cluster { await cluster.giveBack(scope.listenerLease, of: cluster.id) }
    }

    /// The name of the endpoint that the listeners of another node have; nil if no listener is connected there.
    func endpointElsewhere(in scope: AccountScope) -> String? {
        cluster?.leasesOfOthers(scope.listenerLease).first { $0.name == scope.listenerLease }?.body
    }
}

extension Cluster {
    /// The precondition for a write at this moment.
    ///
    /// - Throws: `ShopBusy` if the precondition with which the current task began no longer holds.
    func preconditionNow() throws -> WritePrecondition {
        let present = writePrecondition
        guard let held = WritePrecondition.held else { return present }
        guard held.node == present.node, held.epoch == present.epoch else {
            throw ShopBusy(reason: "all data was replaced, or another node took over this work")
        }
        return WritePrecondition(
            node: held.node,
            epoch: held.epoch,
            configurationVersion: held.configurationVersion ?? present.configurationVersion
        )
    }
}

extension AccountScope {
    fileprivate var listenerLease: String { "listen/\(environment.rawValue)/\(app)" }
}
