import TillCore
import TillStorage

/// The shop's part in a cluster: preconditions of its writes, and its share of the work.
extension Shop {
    /// The precondition for a write made now; nil when this is the only node.
    ///
    /// - Throws: `ShopBusy` when the precondition under which the task began does not hold any more.
    func writePrecondition() throws -> WritePrecondition? {
        guard let cluster else { return nil }
        let present = cluster.writePrecondition
        guard let held = WritePrecondition.held else { return present }
        guard held.node == present.node, held.epoch == present.epoch else {
            throw ShopBusy(reason: "the data was replaced, or another node took over, meanwhile")
        }
        return WritePrecondition(
            node: held.node,
            epoch: held.epoch,
            configurationVersion: held.configurationVersion ?? present.configurationVersion
        )
    }

    /// Runs a body that depends on what a clock shows, and repeats it if another node changes clocks, or anything else
    /// that is held in memory, before it is done.
    func asOfNow<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await body() }
        for _ in 0..<Self.maxBeginnings {
            do {
                return try await WritePrecondition.$held.withValue(try writePrecondition()) { try await body() }
            } catch is PreconditionFailed {
                try checkStopping()
                try await cluster.catchUp()
            }
        }
        throw ShopBusy(reason: "other nodes changed clocks or catalogues \(Self.maxBeginnings) times meanwhile")
    }

    private static let maxBeginnings = 32

    /// Data read in one epoch must not be written in another.
    struct Epoch: Equatable, Sendable {
        /// On this node.
        let here: AsyncReadWriteLock.Epoch
        /// On all nodes; nil if there is only one.
        let everywhere: Int64?
    }

    /// The current epoch.
    var epoch: Epoch { Epoch(here: gate.epoch, everywhere: cluster?.writePrecondition.epoch) }

    /// Returns when every node has loaded what this one configured.
    package func settleNodes() async { await cluster?.settle() }

    // MARK: Due work of this node

    /// The partitions on which this node works; nil is all of them.
    private var parts: [Range<Int64>]? { cluster?.parts }

    /// Accounts with due events in this node's partitions.
    func dueAccountsHere(on clock: ClockName, until: Timestamp, limit: Int) async throws -> [DueAccount] {
        guard let cluster, let parts else {
            return try await storage.dueAccounts(on: clock, until: until, limit: limit)
        }
        var due: [DueAccount] = []
        for part in parts {
            due += try await cluster.storage.dueAccounts(on: clock, until: until, in: part, limit: limit)
        }
        return due.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
    }

    /// When the next event is due in this node's partitions.
    func nextDueHere(on clock: ClockName) async throws -> (account: Timestamp?, delivery: Timestamp?) {
        guard let cluster, let parts else { return try await storage.nextDue(on: clock) }
        var next: (account: Timestamp?, delivery: Timestamp?) = (nil, nil)
        for part in parts {
            let due = try await cluster.storage.nextDue(on: clock, in: part)
            next.account = [next.account, due.account].compactMap(\.self).min()
            next.delivery = [next.delivery, due.delivery].compactMap(\.self).min()
        }
        return next
    }

    /// The due deliveries that this node makes: to a server those of its partitions, to its own listener all.
    func dueDeliveriesHere(to endpoint: EndpointRecord, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries
    {
        guard let cluster, let parts, !endpoint.isListener else {
            return try await storage.dueDeliveries(to: endpoint.key, on: clock, until: until, limit: limit)
        }
        var due = DueDeliveries()
        for part in parts {
            let found = try await cluster.storage.dueDeliveries(
                to: endpoint.key,
                on: clock,
                until: until,
                in: part,
                limit: limit
            )
            due = due + found
        }
        return due
    }

    /// Begins a delivery that no other node may make at the same time; false if it belongs to another node.
    func begin(_ delivery: Delivery, to endpoint: EndpointRecord) -> Bool {
        guard let cluster else { return true }
        return endpoint.isListener || cluster.begin(in: delivery.notification.partition)
    }

    /// Ends a delivery that ``begin(_:to:)`` began.
    func end(_ delivery: Delivery, to endpoint: EndpointRecord) {
        if !endpoint.isListener { cluster?.end(in: delivery.notification.partition) }
    }

    /// Whether this node runs the jobs of an app's environment.
    func doesJobs(of scope: AccountScope) -> Bool {
        cluster?.worksOn(Partition(environment: scope.environment, app: scope.app, customer: "")) ?? true
    }

    // MARK: Listeners

    /// The next notification for a listener. Only one node at a time may have the listeners of an app's environment.
    package func nextOffer(in scope: AccountScope, wait: Duration) async throws -> Listeners.Offer? {
        let hasPrimary = registry.rules(of: scope).primary != nil
        if let cluster, listeners.place(in: scope) == nil || !cluster.has(scope.listenerLease) {
            let endpoint = hasPrimary ? EndpointRecord.listening : EndpointRecord.primary
            let lease = Lease(name: scope.listenerLease, node: cluster.id, body: endpoint)
            guard try await !cluster.take([lease]).isEmpty else {
                throw ShopBusy(reason: "a client of another node listens, or did a moment ago")
            }
            // The next beat publishes it anyway.
            try? await cluster.storage.publish(NodeMessage.nodes)
        }
        return await listeners.next(in: scope, hasPrimary: hasPrimary, wait: wait)
    }

    /// Lets another node have the listeners.
    func endListening(in scope: AccountScope) async {
        if let cluster { await cluster.giveBack(scope.listenerLease, of: cluster.id) }
    }

    /// The endpoint for which clients of another node listen; nil if there are none.
    func placeElsewhere(in scope: AccountScope) -> String? {
        cluster?.leasesOfOthers(scope.listenerLease).first { $0.name == scope.listenerLease }?.body
    }
}

extension AccountScope {
    fileprivate var listenerLease: String { "listen/\(environment.rawValue)/\(app)" }
}
