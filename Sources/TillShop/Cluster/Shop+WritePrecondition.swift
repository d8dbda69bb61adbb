import TillCore
import TillStorage

/// On what the shop stands while it decides, where it shares its store.
extension Shop {
    /// On what a decision made now hangs; nil where nobody else decides.
    ///
    /// - Throws: `ShopBusy` when what the task found at its beginning is no more.
    func writePrecondition() throws -> WritePrecondition? {
        guard let cluster else { return nil }
        let present = cluster.writePrecondition
        guard let held = WritePrecondition.held else { return present }
        guard held.node == present.node, held.era == present.era else {
            throw ShopBusy(reason: "everything was replaced, or done by another node, meanwhile")
        }
        return WritePrecondition(
            node: held.node,
            era: held.era,
            configurationVersion: held.configurationVersion ?? present.configurationVersion
        )
    }

    /// Runs a body that does something because of what a clock shows. When a node changes clocks, or anything else that
    /// is held in memory, before it is done, it is begun again.
    func asOfNow<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await body() }
        for _ in 0..<Self.mostBeginnings {
            do {
                return try await WritePrecondition.$held.withValue(try writePrecondition()) { try await body() }
            } catch is Overtaken {
                try checkStopping()
                try await cluster.catchUp()
            }
        }
        throw ShopBusy(reason: "other nodes changed clocks or catalogues \(Self.mostBeginnings) times meanwhile")
    }

    private static let mostBeginnings = 32

    /// What was read in one era is not written in another.
    struct Era: Equatable, Sendable {
        /// At this node.
        let here: AsyncReadWriteLock.Era
        /// At all nodes; nil where there is but one.
        let everywhere: Int64?
    }

    /// The present era.
    var era: Era { Era(here: gate.era, everywhere: cluster?.writePrecondition.era) }

    /// Returns when every node knows what this one set up.
    package func settleNodes() async { await cluster?.settle() }

    // MARK: What falls due, and is this node's to do

    /// The parts of the partitions on which this node works; nil is all of them.
    private var parts: [Range<Int64>]? { cluster?.parts }

    /// Accounts in which something falls due, in this node's part.
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

    /// When something falls due next in this node's part.
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

    /// Deliveries that this node makes: to a server those of its part, to a listener of its own all.
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

    /// Begins a delivery that no other node may make at the same time; false when it is another node's.
    func begin(_ delivery: Delivery, to endpoint: EndpointRecord) -> Bool {
        guard let cluster else { return true }
        return endpoint.isListener || cluster.begin(in: delivery.notification.partition)
    }

    /// It has ended.
    func end(_ delivery: Delivery, to endpoint: EndpointRecord) {
        if !endpoint.isListener { cluster?.end(in: delivery.notification.partition) }
    }

    /// Whether this node does the jobs of an app's environment.
    func doesJobs(of scope: AccountScope) -> Bool {
        cluster?.worksOn(Partition(environment: scope.environment, app: scope.app, customer: "")) ?? true
    }

    // MARK: Listeners

    /// The next notification for whoever listens. One node's listeners at a time stand in for an app's endpoint.
    package func nextOffer(in scope: AccountScope, wait: Duration) async throws -> Listeners.Offer? {
        let hasPrimary = registry.rules(of: scope).primary != nil
        if let cluster, listeners.place(in: scope) == nil || !cluster.has(scope.listenerLease) {
            let endpoint = hasPrimary ? EndpointRecord.listening : EndpointRecord.primary
            let lease = Lease(name: scope.listenerLease, node: cluster.id, body: endpoint)
            guard try await !cluster.take([lease]).isEmpty else {
                throw ShopBusy(reason: "somebody listens at another node, or did a moment ago")
            }
            // The next beat tells it anyway.
            try? await cluster.storage.say(NodeWord.nodes)
        }
        return await listeners.next(in: scope, hasPrimary: hasPrimary, wait: wait)
    }

    /// Lets another node listen.
    func endListening(in scope: AccountScope) async {
        if let cluster { await cluster.giveBack(scope.listenerLease, of: cluster.id) }
    }

    /// Where somebody listens at another node.
    func placeElsewhere(in scope: AccountScope) -> String? {
        cluster?.leasesOfOthers(scope.listenerLease).first { $0.name == scope.listenerLease }?.body
    }
}

extension AccountScope {
    fileprivate var listenerLease: String { "listen/\(environment.rawValue)/\(app)" }
}
