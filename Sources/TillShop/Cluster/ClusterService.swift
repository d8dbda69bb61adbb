import Logging
import ServiceLifecycle
import TillCore
import TillStorage

/// Runs this node's part in a cluster: it sends heartbeats, reloads changed configuration, and exchanges events with
/// other nodes. This service starts first and stops last, because all other services need its leases.
package struct ClusterService: Service {
    private let shop: Shop
    private let cluster: Cluster
    private let events = NodeEventQueue()

    /// Creates the service; nil if the shop does not share its store with other nodes.
    package init?(_ shop: Shop) {
        guard let cluster = shop.cluster else { return nil }
        self.shop = shop
        self.cluster = cluster
        let events = events
        shop.signals.add(
            Signals.Listener(
                due: { clock, instant in if !cluster.isAlone { events.due(clock, instant) } },
                pending: { clock in if !cluster.isAlone { events.pending(clock) } },
                committed: { change in
                    guard !cluster.isAlone else { return }
                    for clock in Set(change.deliveries.map(\.clock)) { events.pending(clock) }
                },
                attempted: { delivery in if !cluster.isAlone { events.attempted(delivery.clock) } },
                isOfOthers: true
            )
        )
        cluster.follower.value = Cluster.Follower(
            reload: { [weak shop] kinds, isNewEra in try await shop?.follow(kinds, isNewEra: isNewEra) },
            checkAllClocks: { [weak shop] in shop?.checkAllClocks() }
        )
    }

    /// Runs until the server stops, then leaves the cluster.
    ///
    /// - Throws: `NodeReplaced` if another server joined under this node's name, because this node can no longer write.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await work() }
        await cluster.leave()
        if let replaced = cluster.replaced { throw replaced }
    }

    private func work() async {
        let (words, nodeSubscription) = AsyncStream.makeStream(
            of: String?.self,
            bufferingPolicy: .bufferingNewest(1_024)
        )
        cluster.storage.subscribe { [cluster] sign in
            switch sign {
            case .missed: nodeSubscription.yield(nil)
            case .word(let word): nodeSubscription.yield(word)
            case .alive(let asked): cluster.noteAlive(asked)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await every(cluster.lease / 8) { await renew() } }
            group.addTask { await every(.milliseconds(10)) { await publishEvents() } }
            group.addTask { await every(cluster.lease / 4) { await shop.resumeAbandoned() } }
            group.addTask { await every(.seconds(60)) { shop.checkAllClocks() } }
            group.addTask { for await word in words { await receive(word) } }
            // Each task runs until it is cancelled or the node is replaced; then all tasks must end.
            await group.next()
            group.cancelAll()
        }
    }

    private func every(_ interval: Duration, _ body: () async -> Void) async {
        while !Task.isCancelled, cluster.replaced == nil {
            await body()
            try? await Task.sleep(for: interval)
        }
    }

    private func renew() async {
        do {
            try await cluster.renew()
            if let ports = shop.destinations.ownPorts.publication { try await cluster.publish(ports) }
        } catch {
            guard !Task.isCancelled, cluster.replaced == nil else { return }
            cluster.logger.warning("this node could not send its heartbeat", metadata: ["cause": "\(error.logText)"])
        }
    }

    private func publishEvents() async {
        for nodeEvent in events.take(as: cluster.id) {
            guard let word = nodeEvent.word else { continue }
            // An error is ignored: a node that misses the event finds the due work when it checks its clocks.
            try? await cluster.storage.publish(word)
        }
    }

    private func receive(_ word: String?) async {
        switch word {
        case NodeMessage.configurationVersions:
            do {
                try await cluster.follow()
            } catch {
                cluster.logger.warning(
                    "the configuration of other nodes could not be read",
                    metadata: ["cause": "\(error.logText)"]
                )
            }
        case NodeMessage.nodes: await renew()
        case nil:
            await renew()
            shop.checkAllClocks()
        case let word?:
            guard let nodeEvent = NodeEvent(word: word), nodeEvent.node != cluster.id else { return }
            shop.receive(nodeEvent)
        }
    }
}

extension Shop {
    /// Reloads configuration that this node or another node has written.
    func follow(_ kinds: Set<DocumentKind>, isNewEra: Bool) async throws {
        if isNewEra { return try await reloadAll(.everything) }
        try await identifiers.readReserved()
        if !kinds.isDisjoint(with: [.team, .app, .key, .catalog, .rules]) { try await registry.reload() }
        if kinds.contains(.rules) { checkAllClocks() }
        if kinds.contains(.clock) { signals.check(try await clocks.reload()) }
        if kinds.contains(.chain) { try await keys.chains.follow(storage) }
        if kinds.contains(.fault) { try await faults.reload(.nothing) }
        if kinds.contains(.revocation) { try await keys.authority.reload() }
    }

    /// Makes the ticker and the delivery worker check every clock again.
    func checkAllClocks() { signals.check(everyClock) }

    /// Handles an event of another node: an account or delivery became due, or deliveries were attempted.
    func receive(_ nodeEvent: NodeEvent) {
        for item in nodeEvent.items {
            signals.heard(item.clock, due: item.due, pending: item.hasPending)
            if item.hasAttempts == true { signals.settlements.noteAttempts(on: item.clock) }
        }
    }

    /// Finishes advances that a node began before it crashed or left.
    func resumeAbandoned() async {
        let isAbandoned = clocks.all.contains { record in
            record.pendingAdvance != nil && advanceUnderWay(on: record.name) == nil
                && cluster?.isTaken(record.name.lockKey) == false
        }
        if isAbandoned { await resumeLongWork() }
    }
}
