import Foundation
import Logging
import Metrics
import TillCore
import TillSigning
import TillStorage

/// The running server's state and the only code that writes accounts and transactions. For each command it loads the
/// account, applies the rules of TillCore, and commits the result in one database transaction.
package final class Shop: Sendable {
    /// The storage engine. Only `Shop` writes accounts and transactions; other code only reads them.
    package let storage: any Storage
    /// Teams, apps, keys, catalogs and settings.
    package let registry: Registry
    /// The locks of the shop, and whether the server is stopping.
    package let locks: ShopLocks
    /// The clock of each app and environment, the customer clocks, and real time.
    package let clocks: Clocks
    package let keys: SigningKeys
    package let snapshots: Snapshots
    let transactor: Transactor
    /// The faults to inject.
    package let faults: FaultRules
    package let requestLog: RequestLog
    /// Accounts whose due events could not be processed.
    package let quarantine = Quarantine()
    /// The clients that listen through the control API.
    package let listeners: Listeners
    /// Decides to which network addresses notifications may be sent.
    package let destinations: DestinationCheck

    /// Opens the shop on a database.
    ///
    /// - Parameters:
    ///   - storage: the storage engine, whose tables must exist.
    ///   - chain: the certificate chain that signs every payload.
    ///   - receiptKeys: the keys that sign receipts; by default, keys that exist only in this process.
    ///   - cluster: the membership of this node, which must have joined already so that it misses no change by another
    ///     node.
    ///   - settings: the server's settings, including how it differs from Apple.
    ///   - metrics: creates the handlers of the shop's metrics.
    ///   - wallClock: returns real time; tests pass a clock of their own.
    package init(
        storage: any Storage,
        chain: SigningChain,
        receiptKeys: ReceiptKeys = .temporary(),
        cluster: Cluster? = nil,
        settings: Settings = Settings(),
        logger: Logger = Logger(label: "till"),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        wallClock: @escaping @Sendable () -> Timestamp
    ) async throws {
        self.storage = storage
        listeners = Listeners(wallClock: wallClock)
        let ownPorts = OwnPorts { cluster?.portsOfOthers ?? [] }
        destinations = DestinationCheck(networks: settings.endpointNetworks, ownPorts: ownPorts)
        locks = ShopLocks(cluster: cluster)
        keys = try await SigningKeys(storage: storage, locks: locks, chain: chain, receipts: receiptKeys)
        registry = try await Registry(storage: storage, settings: settings)
        clocks = try await Clocks(storage: storage, wallClock: wallClock)
        snapshots = Snapshots(
            storage: storage,
            registry: registry,
            locks: locks,
            logger: logger,
            wallClock: wallClock,
            epoch: Synchronized(try await RestoreEpoch.read(storage))
        )
        requestLog = RequestLog(storage: storage, logger: logger, keeping: settings.requestLogLength)
        faults = try await FaultRules(storage: storage, wallClock: wallClock)
        let identifiers = try await IdentifierPool(storage: storage)
        let metrics = ShopMetrics(factory: metrics)
        transactor = Transactor(
            locks: locks.named,
            identifiers: identifiers,
            commits: CommitQueue(storage: storage, identifiers: identifiers, metrics: metrics.commits),
            cluster: cluster,
            chains: keys.chains,
            recentRows: faults.recentRows,
            signals: Signals(),
            logger: logger,
            metrics: metrics
        )
        warnOfProductionClocks()
    }

    // MARK: Parts

    /// The server's settings, which do not change while the process runs.
    package var settings: Settings { registry.settings }
    /// Returns real time, which bearer tokens and certificates use. The ledger uses `clocks` instead.
    package var wallClock: @Sendable () -> Timestamp { clocks.wallClock }
    /// The server's logger. Code must never log a token, a key or a signature.
    package var logger: Logger { transactor.logger }
    /// Counts what the shop does.
    var metrics: ShopMetrics { transactor.metrics }
    /// The other servers that share the database; nil if this is the only server.
    package var cluster: Cluster? { locks.cluster }
    /// Notifies listeners when an account or a delivery becomes due.
    package var signals: Signals { transactor.signals }
    var identifiers: IdentifierPool { transactor.identifiers }
    /// Seals and opens the `revision` tokens of the transaction and refund history endpoints.
    package var cursors: CursorSeal { keys.cursors }
    /// The restore epoch of an app for new cursors. Read it before the transactions: if a restore happens in between,
    /// the cursor has the older epoch, and the client only starts again from the beginning.
    package func restoreEpoch(of app: String) -> Int64 { snapshots.epoch.value.value(of: app) }
    /// The lock that all work that writes holds in shared mode, and a restore exclusively.
    package var gate: AsyncReadWriteLock { locks.gate }
    /// The current signing chain.
    package var signingChain: SigningChain { keys.chains.current }

    // MARK: Time

    /// The current time in an app's environment, on that environment's clock.
    package func now(in scope: AccountScope) -> Timestamp { clocks.now(on: ClockName(scope)) }

    /// The current time on a clock; real time if the clock was never set.
    package func now(on clock: ClockName) -> Timestamp { clocks.now(on: clock) }

    /// The current time on a customer's clock.
    package func now(of account: Account) -> Timestamp { clocks.now(on: account.clockName) }

    /// The clocks of all environments, and the customer clocks.
    var everyClock: Set<ClockName> {
        Set(registry.scopes.map { ClockName($0) }).union(clocks.all.map(\.name))
    }

    // MARK: Locks

    /// Stops long operations: advances, jobs, and clients that wait for events.
    package func stopLongWork() {
        locks.isStopping.value = true
        listeners.stop()
    }

    func checkStopping() throws { try locks.checkStopping() }

    /// Runs a body under a named lock that all nodes share. The caller holds the shared lock of the shop.
    package func exclusively<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        try await locks.exclusively(name, body)
    }
}
