import Foundation
import Logging
import TillCore
import TillSigning
import TillStorage

/// The running shop and the only writer: it loads what a command concerns, applies the rules, and commits their
/// decisions in one transaction.
package final class Shop: Sendable {
    /// The storage engine. Only the shop writes accounts and transactions; other code just reads.
    package let storage: any Storage
    /// Teams, apps, keys and catalogs.
    package let registry: Registry
    package let requestLog: RequestLog
    /// Seals and opens the `revision` of the history routes.
    package let cursors: CursorSeal
    let restoreEpochs: RestoreEpoch
    /// The clocks of all apps and environments, and the customer clocks.
    package let clocks: Clocks
    /// Notifies listeners when an account or a delivery becomes due.
    package let signals = Signals()
    /// Fixed for the lifetime of the process.
    package let settings: Settings
    /// Must never log a token, a key or a signature.
    package let logger: Logger
    /// The wall clock. Bearer tokens and certificates use real time; the ledger uses the shop's clocks.
    package let wallClock: @Sendable () -> Timestamp

    /// The clients that listen through the control API.
    package let listeners: Listeners
    /// The ports on which this server and the other nodes listen.
    package let ownPorts: OwnPorts
    /// Decides where deliveries may go.
    package let destinations: DestinationCheck
    /// Signs and verifies receipts.
    package let receiptKeys: ReceiptKeys
    /// Receipts of the last second.
    let receiptCache = ReceiptCache()
    /// Recent signatures of transactions.
    let signatures = SignatureCache()
    /// The root and its chains, for the OCSP responder.
    package let authority: RevocationRegistry
    let chains: Chains
    /// The faults to inject.
    package let faults: FaultRules
    /// Recent writes, which the fault `staleReads` hides.
    package let recentRows: RecentRows
    /// The servers that share the store; nil if this is the only one.
    package let cluster: Cluster?
    let identifiers: IdentifierPool
    let commits: CommitQueue
    /// Whether there is enough disk space to commit.
    let room = DiskSpaceMonitor()
    let locks = AccountLocks()
    /// Every change of the shop passes through it, so that a restore can run exclusively.
    let gate = AsyncReadWriteLock()
    /// Accounts that could not be brought up to date.
    package let quarantine = Quarantine()
    /// Set when the server stops: long work ends at its next step and continues after a restart.
    let isStopping = Synchronized(false)
    /// The suffix of this process's temporary snapshots.
    let copyMark = ".\(UUID().uuidString.prefix(8).lowercased())"
    /// Whether the server is about to stop: it still answers, but load balancers should send no new clients.
    package let isDraining = Synchronized(false)
    /// Advances in progress.
    let runningAdvances = RunningAdvances()
    /// Notification UUIDs are derived from it, so that a run can be replayed.
    let seed: String

    /// Opens the shop over a store.
    ///
    /// - Parameters:
    ///   - storage: an engine with its tables in place.
    ///   - chain: signs every payload.
    ///   - receiptKeys: signs receipts; by default temporary keys of this process.
    ///   - cluster: must have joined already, so that no change of another node is missed.
    ///   - settings: departures from Apple's behavior and choices.
    ///   - wallClock: real time; tests pass their own.
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
        requestLog = RequestLog(storage: storage, logger: logger, keeping: settings.journalLength)
        cursors = try await CursorSeal(storage: storage)
        restoreEpochs = try await RestoreEpoch(storage: storage)
        faults = try await FaultRules(storage: storage, wallClock: wallClock)
        recentRows = RecentRows(wallClock: wallClock)
        identifiers = IdentifierPool(storage: storage)
        commits = CommitQueue(storage: storage, room: room)
        // Lets the other nodes assemble what this one signs.
        if cluster != nil, let document = chains.document(of: chain) { try await storage.put([document]) }
    }

    /// The restore epoch for new cursors. It must be read before the rows: a cursor that wrongly has an older epoch
    /// only starts again from the beginning.
    package var restoreEpoch: Int64 { restoreEpochs.current }

    // MARK: Time

    /// The present time in an app and environment.
    package func now(in scope: AccountScope) -> Timestamp { now(on: ClockName(scope)) }

    /// What a clock shows; real time if it was never set.
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

    /// The present time of a customer.
    package func now(of account: Account) -> Timestamp { now(on: account.clockName) }

    /// The policy of an app's environment, from its own settings and the server's.
    package func policy(of scope: AccountScope) -> Policy {
        registry.rules(of: scope).policy(of: scope.environment, under: settings)
    }

    /// Ends long work: advances, jobs, waiting listeners.
    package func stopLongWork() {
        isStopping.value = true
        listeners.stop()
    }

    /// - Throws: `ShopBusy` once the server stops.
    func checkStopping() throws {
        if isStopping.value { throw ShopBusy(reason: "the server is stopping; the rest is done after its next start") }
    }

    // MARK: Signing

    /// The current signing chain.
    package var signingChain: SigningChain { chains.current }

    /// Switches to another signing chain; older signatures stay valid.
    package func sign(with chain: SigningChain) async throws {
        if let cluster, let document = chains.document(of: chain) {
            // The other nodes must know the chain before it signs anything.
            try await storage.put([document])
            await cluster.settle()
        }
        chains.sign(with: chain)
    }

    /// The seed of the shop, created at its first start.
    private static func seed(_ storage: any Storage) async throws -> String {
        let body = "\"\(UUID().uuidString.lowercased())\""
        // Another server may start on an empty store at the same time.
        return try await storage.keep(Document(kind: .shop, name: "seed", body: body)).body
    }

    /// Runs a body under the shared lock, so not while everything is replaced.
    package func besideOthers<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await gate.shared(body)
    }

    /// Runs a body while no other caller, on any node, runs one under the same name.
    package func exclusively<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await exclusivelyHere(name, body) }
        return try await exclusivelyHere(name) {
            do {
                return try await cluster.holding(name, checkWaiting, body)
            } catch is PreconditionFailed {
                throw ShopBusy(reason: "the data was replaced, or another node took over, meanwhile")
            }
        }
    }

    /// A caller that waits for another node must not hold up a restore on this one.
    func checkWaiting() throws {
        try checkStopping()
        if gate.waitingToBeAlone > 0 { throw ShopBusy(reason: "everything is being replaced") }
    }

    /// Runs a body while no other caller on this node runs one under the same name.
    package func exclusivelyHere<Value: Sendable>(
        _ name: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await gate.shared { try await locks.holding([name], body) }
    }
}
