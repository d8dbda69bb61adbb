import Foundation
import Logging
import TillCore
import TillSigning
import TillStorage

/// The running server's state and the only code that writes accounts and transactions. For each command it loads the
/// account, applies the rules of TillCore, and commits the result in one database transaction.
package final class Shop: Sendable {
    /// The storage engine. Only `Shop` writes accounts and transactions; other code only reads them.
    package let storage: any Storage
    /// Teams, apps, keys and catalogs.
    package let registry: Registry
    package let requestLog: RequestLog
    /// Seals and opens the `revision` tokens of the transaction and refund history endpoints.
    package let cursors: CursorSeal
    let restoreEpochs: RestoreEpoch
    /// The clock of each app and environment, and the customer clocks.
    package let clocks: Clocks
    /// The operations that wait for deliveries now.
    let settlements = Settlements()
    /// Notifies listeners when an account or a delivery becomes due.
    package let signals = Signals()
    /// The server's settings, which do not change while the process runs.
    package let settings: Settings
    /// The server's logger. Code must never log a token, a key or a signature.
    package let logger: Logger
    /// Returns real time, which bearer tokens and certificates use. The ledger uses `clocks` instead.
    package let wallClock: @Sendable () -> Timestamp

    /// The clients that listen through the control API.
    package let listeners: Listeners
    /// The ports on which this server and the other nodes listen.
    package let ownPorts: OwnPorts
    /// Decides to which network addresses notifications may be sent.
    package let destinations: DestinationCheck
    /// Signs and verifies receipts.
    package let receiptKeys: ReceiptKeys
    /// The receipts that were signed in the current second.
    let receiptCache = ReceiptCache()
    /// Transactions that were signed recently.
    let signatures = SignatureCache()
    /// The root certificate and the chains that it issued, for the OCSP responder.
    package let authority: RevocationRegistry
    let chains: Chains
    /// The faults to inject.
    package let faults: FaultRules
    /// Recent writes, which the fault rule `staleReads` hides from reads.
    package let recentRows: RecentRows
    /// The other servers that share the database; nil if this is the only server.
    package let cluster: Cluster?
    let identifiers: IdentifierPool
    let transactor: Transactor
    /// Whether there is enough disk space to commit.
    let room = DiskSpaceMonitor()
    /// Accounts whose due events could not be processed.
    package let quarantine = Quarantine()
    /// Whether the server is stopping. Long operations then end after their current step and continue after a restart.
    let isStopping = Synchronized(false)
    /// The suffix of the names of this process's temporary snapshots.
    let copyMark = ".\(UUID().uuidString.prefix(8).lowercased())"
    /// Whether the server will stop soon. It still answers, but load balancers should not send it new clients.
    package let isDraining = Synchronized(false)
    /// Advances in progress.
    let runningAdvances = RunningAdvances()
    /// The random text from which notification UUIDs are derived, so that a replayed run has the same UUIDs.
    let seed: String

    /// Opens the shop on a database.
    ///
    /// - Parameters:
    ///   - storage: the storage engine, whose tables must exist.
    ///   - chain: the certificate chain that signs every payload.
    ///   - receiptKeys: the keys that sign receipts; by default, keys that exist only in this process.
    ///   - cluster: the membership of this node, which must have joined already so that it misses no change by another
    ///     node.
    ///   - settings: the server's settings, including how it differs from Apple.
    ///   - wallClock: returns real time; tests pass a clock of their own.
    package init(
        storage: any Storage,
        chain: SigningChain,
        receiptKeys: ReceiptKeys = .temporary(),
        cluster: Cluster? = nil,
        settings: Settings = Settings(),
        logger: Logger = Logger(label: "till"),
        wallClock: @escaping @Sendable () -> Timestamp
    ) async throws {
        self.storage = storage
        self.cluster = cluster
        self.settings = settings
        self.logger = logger
        self.wallClock = wallClock
        self.receiptKeys = receiptKeys
        listeners = Listeners(wallClock: wallClock)
        ownPorts = OwnPorts { cluster?.portsOfOthers ?? [] }
        destinations = DestinationCheck(networks: settings.endpointNetworks, ownPorts: ownPorts)
        chains = try await Chains(storage: storage, signing: chain)
        authority = try await RevocationRegistry(storage: storage)
        registry = try await Registry(storage: storage)
        clocks = try await Clocks(storage: storage)
        seed = try await Self.seed(storage)
        requestLog = RequestLog(storage: storage, logger: logger, keeping: settings.requestLogLength)
        cursors = try await CursorSeal(storage: storage)
        restoreEpochs = try await RestoreEpoch(storage: storage)
        faults = try await FaultRules(storage: storage, wallClock: wallClock)
        recentRows = RecentRows(wallClock: wallClock)
        identifiers = IdentifierPool(storage: storage)
        transactor = Transactor(
            identifiers: identifiers,
            commits: CommitQueue(storage: storage, room: room),
            cluster: cluster,
            chains: chains,
            recentRows: recentRows,
            signals: signals,
            logger: logger
        )
        signals.add(Signals.Listener(attempted: { [settlements] in settlements.note($0) }))
        // With this document the other nodes can assemble payloads that this node signs.
        if cluster != nil, let document = chains.document(of: chain) { try await storage.put([document]) }
        warnOfProductionClocks()
    }

    /// The restore epoch for new cursors. Read it before the transactions: if a restore happens in between, the cursor
    /// has the older epoch, and the client only starts again from the beginning.
    package var restoreEpoch: Int64 { restoreEpochs.current }

    /// The lock that all work that writes holds in shared mode, and a restore exclusively. It is taken where work
    /// enters the shop, not by the functions of the shop that do the work.
    package let gate = AsyncReadWriteLock()

    // MARK: Time

    /// The current time in an app's environment, on that environment's clock.
    package func now(in scope: AccountScope) -> Timestamp { now(on: ClockName(scope)) }

    /// The current time on a clock; real time if the clock was never set.
    package func now(on clock: ClockName) -> Timestamp {
        clocks.now(on: clock, realTime: wallClock)
    }

    /// The two environments of every app.
    var everyScope: [AccountScope] {
        registry.apps.flatMap { app in
            StoreEnvironment.allCases.map { AccountScope(environment: $0, app: app.bundleID) }
        }
    }

    /// The clocks of all environments, and the customer clocks.
    var everyClock: Set<ClockName> {
        Set(everyScope.map { ClockName($0) }).union(clocks.all.map(\.name))
    }

    /// The current time on a customer's clock.
    package func now(of account: Account) -> Timestamp { now(on: account.clockName) }

    /// The policy of an app's environment. The environment's settings take precedence over the server's settings.
    package func policy(of scope: AccountScope) -> Policy {
        registry.rules(of: scope).policy(of: scope.environment, under: settings)
    }

    /// Stops long operations: advances, jobs, and clients that wait for events.
    package func stopLongWork() {
        isStopping.value = true
        listeners.stop()
    }

    /// - Throws: `ShopBusy` if the server is stopping.
    func checkStopping() throws {
        if isStopping.value { throw ShopBusy(reason: "the server is stopping; it continues this after a restart") }
    }

    // MARK: Signing

    /// The current signing chain.
    package var signingChain: SigningChain { chains.current }

    /// Signs with another chain from now on; existing signatures stay valid.
    package func sign(with chain: SigningChain) async throws {
        if let cluster, let document = chains.document(of: chain) {
            // The other nodes must know the chain before it signs anything.
            try await storage.put([document])
            await cluster.settle()
        }
        chains.sign(with: chain)
    }

    /// Reads the seed of the database, or creates it at the first start.
    private static func seed(_ storage: any Storage) async throws -> String {
        let body = "\"\(UUID().uuidString.lowercased())\""
        // Another server may start with the same empty database at the same time, so the first stored seed wins.
        return try await storage.keep(Document(kind: .shop, name: "seed", body: body)).body
    }

    /// Runs a body under a named lock that all nodes share. The caller holds the shared lock of the shop.
    package func exclusively<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await exclusivelyHere(name, body) }
        return try await exclusivelyHere(name) {
            do {
                return try await cluster.holding(name, checkWaiting, body)
            } catch is PreconditionFailed {
                throw ShopBusy(reason: "all data was replaced, or another node took over this work")
            }
        }
    }

    /// Ends the wait for a lock that another node holds, because the waiting caller would block a restore on this node.
    func checkWaiting() throws {
        try checkStopping()
        if gate.waitingToBeAlone > 0 { throw ShopBusy(reason: "all data is being replaced") }
    }

    /// Runs a body under a named lock of this node.
    package func exclusivelyHere<Value: Sendable>(
        _ name: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await transactor.locks.holding([name], body)
    }
}
