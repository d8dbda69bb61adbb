import Foundation
import Logging
import TillCore
import TillSigning
import TillStorage

/// The shop at work, and the only writer: it loads what a command concerns, lets the rules decide, and commits what
/// they decided in one transaction.
package final class Shop: Sendable {
    /// The engine. Others read from it; only the shop writes accounts and rows.
    package let storage: any Storage
    /// Teams, apps, keys and catalogues.
    package let registry: Registry
    package let requestLog: RequestLog
    /// Seals and opens the `revision` of the history routes.
    package let cursors: CursorSeal
    let restoreEpochs: RestoreEpoch
    /// The clocks of all apps and environments, and of customers who have one of their own.
    package let clocks: Clocks
    /// Who is told when something falls due, or is owed to a developer's server.
    package let signals = Signals()
    /// Fixed for the life of the process.
    package let settings: Settings
    /// Never told a token, a key or a signature.
    package let logger: Logger
    /// The wall clock. Bearer tokens and certificates live in its time; the ledger lives in the shop's.
    package let wallClock: @Sendable () -> Timestamp

    /// Who listens over control.
    package let listeners: Listeners
    /// The ports on which this server and the other nodes listen.
    package let ownPorts: OwnPorts
    /// Where deliveries may go.
    package let destinations: DestinationCheck
    /// What signs and verifies receipts.
    package let receiptKeys: ReceiptKeys
    /// Receipts that were made within the last second.
    let receiptCache = ReceiptCache()
    /// Transactions that were signed a while ago.
    let signatures = SignatureCache()
    /// The root and its chains, of which the OCSP responder speaks.
    package let authority: KeyRotation
    let chains: Chains
    /// What is to go wrong on demand.
    package let faults: FaultRules
    /// What was written a moment ago, which may not be found yet.
    package let recentRows: RecentRows
    /// The servers with which the store is shared; nil when with none.
    package let cluster: Cluster?
    let identifiers: IdentifierPool
    let commits: CommitQueue
    /// Whether there is room for what is committed.
    let room = RoomWatch()
    let locks = AccountLocks()
    /// Through which everything goes that changes the shop, so that a restore can be alone.
    let gate = AsyncReadWriteLock()
    /// Accounts that could not be brought up to date.
    package let quarantine = Quarantine()
    /// Set when the server stops: long work ends at its next step and is finished after a restart.
    let isStopping = Synchronized(false)
    /// At the end of the names of copies that this process makes for itself.
    let copyMark = ".\(UUID().uuidString.prefix(8).lowercased())"
    /// Whether the server is about to stop: it still answers, and wants no new callers.
    package let isDraining = Synchronized(false)
    /// Advances that are under way.
    let runningAdvances = RunningAdvances()
    /// From which the UUIDs of notifications are made, so that a world can be replayed.
    let seed: String

    /// Opens the shop over a store.
    ///
    /// - Parameters:
    ///   - storage: an engine with its tables in place.
    ///   - chain: signs every payload.
    ///   - receiptKeys: signs receipts; left out, keys of this process alone.
    ///   - cluster: joined before this, so that nothing is missed that others change meanwhile.
    ///   - settings: the named departures and choices.
    ///   - wallClock: the time of day; tests give their own.
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
        authority = try await KeyRotation(storage: storage)
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
        // The other nodes can put together what this one signs.
        if cluster != nil, let document = chains.document(of: chain) { try await storage.put([document]) }
    }

    /// The course of events to which cursors belong that are made now; read before the rows, since a cursor that is
    /// taken for an older one only begins again.
    package var restoreEpoch: Int64 { restoreEpochs.current }

    // MARK: Time

    /// The shop's time in an app and environment.
    package func now(in scope: AccountScope) -> Timestamp { now(on: ClockName(scope)) }

    /// What a clock shows; one that nobody set is real.
    package func now(on clock: ClockName) -> Timestamp {
        clocks.now(on: clock, wall: wallClock)
    }

    /// The two environments of every app.
    var everyScope: [AccountScope] {
        registry.apps.flatMap { app in
            StoreEnvironment.allCases.map { AccountScope(environment: $0, app: app.bundleID) }
        }
    }

    /// The clocks of all environments, and those that customers have of their own.
    var everyClock: Set<ClockName> {
        Set(everyScope.map { ClockName($0) }).union(clocks.all.map(\.name))
    }

    /// A customer's time.
    package func now(of account: Account) -> Timestamp { now(on: account.clockName) }

    /// What holds in an app's environment, under its own rules and the shop's settings.
    package func policy(of scope: AccountScope) -> Policy {
        registry.rules(of: scope).policy(of: scope.environment, under: settings)
    }

    /// Lets long work end: advances, wakes, those who listen.
    package func stopLongWork() {
        isStopping.value = true
        listeners.stop()
    }

    /// - Throws: `ShopBusy` once the server stops.
    func checkStopping() throws {
        if isStopping.value { throw ShopBusy(reason: "the server stops; what is left is done after its start") }
    }

    // MARK: Signing

    /// The chain that signs now.
    package var signingChain: SigningChain { chains.current }

    /// Signs with another chain from now on; what the old one signed keeps verifying.
    package func sign(with chain: SigningChain) async throws {
        if let cluster, let document = chains.document(of: chain) {
            // The other nodes can put together what it signs before anything is signed.
            try await storage.put([document])
            await cluster.settle()
        }
        chains.sign(with: chain)
    }

    /// A seed of the shop's own, made at its first start.
    private static func seed(_ storage: any Storage) async throws -> String {
        let body = "\"\(UUID().uuidString.lowercased())\""
        // Another server may start on an empty store at the same time.
        return try await storage.keep(Document(kind: .shop, name: "seed", body: body)).body
    }

    /// Runs a body beside others, but not while everything is being replaced.
    package func besideOthers<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await gate.shared(body)
    }

    /// Runs a body while nobody else runs one under the same name, on any node.
    package func exclusively<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await exclusivelyHere(name, body) }
        return try await exclusivelyHere(name) {
            do {
                return try await cluster.holding(name, checkWaiting, body)
            } catch is Overtaken {
                throw ShopBusy(reason: "everything was replaced, or done by another node, meanwhile")
            }
        }
    }

    /// Nobody who waits for another node holds up whoever replaces everything here.
    func checkWaiting() throws {
        try checkStopping()
        if gate.waitingToBeAlone > 0 { throw ShopBusy(reason: "everything is being replaced") }
    }

    /// Runs a body while nobody else runs one under the same name on this node.
    package func exclusivelyHere<Value: Sendable>(
        _ name: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await gate.shared { try await locks.holding([name], body) }
    }
}
