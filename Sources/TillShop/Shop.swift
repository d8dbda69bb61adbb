import Logging
import Synchronization
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
    package let journal: Journal
    /// Seals and opens the `revision` of the history routes.
    package let cursors: CursorSeal
    /// Fixed for the life of the process.
    package let settings: Settings
    /// Never told a token, a key or a signature.
    package let logger: Logger
    /// The wall clock. Bearer tokens and certificates live in its time; the ledger lives in the shop's.
    package let wallClock: @Sendable () -> Timestamp

    private let chain: Mutex<SigningChain>
    private let identifiers: IdentifierPool
    private let commits: CommitQueue
    private let locks = AccountLocks()

    /// Opens the shop over a store.
    ///
    /// - Parameters:
    ///   - storage: an engine with its tables in place.
    ///   - chain: signs every payload.
    ///   - settings: the named departures and choices.
    ///   - wallClock: the time of day; tests give their own.
    package init(
        storage: any Storage,
        chain: SigningChain,
        settings: Settings = Settings(),
        logger: Logger = Logger(label: "till"),
        wallClock: @escaping @Sendable () -> Timestamp
    ) async throws {
        self.storage = storage
        self.settings = settings
        self.logger = logger
        self.wallClock = wallClock
        self.chain = Mutex(chain)
        registry = try await Registry(storage: storage)
        journal = Journal(storage: storage, logger: logger, keeping: settings.journalLength)
        cursors = try await CursorSeal(storage: storage)
        identifiers = IdentifierPool(storage: storage)
        commits = CommitQueue(storage: storage)
    }

    /// The shop's time in an app and realm. All clocks are real as yet.
    package func now(in scope: AccountScope) -> Timestamp { wallClock() }

    /// The policy of a realm under the shop's settings.
    package func policy(of realm: Realm) -> Policy {
        Policy(for: realm, tokenChangeMovesHistory: settings.tokenChangeMovesHistory)
    }

    // MARK: Signing

    /// The chain that signs now.
    package var signingChain: SigningChain { chain.withLock { $0 } }

    /// Signs with another chain from now on; what the old one signed keeps verifying.
    package func sign(with chain: SigningChain) {
        self.chain.withLock { $0 = chain }
    }

    /// Runs a body while nobody else runs one under the same name.
    package func exclusively<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        try await locks.holding([name], body)
    }

    // MARK: Acting

    /// Lets a customer, or the store, do something, and returns once it is durable.
    ///
    /// - Parameters:
    ///   - command: what is done.
    ///   - customer: whose account acts.
    ///   - instant: the shop's time of the act; nil is now. Never before the account's last event.
    ///   - opening: how to open the account when the customer has none yet; nil refuses.
    /// - Throws: `Refusal` when the rules say no; `ShopBusy` when the store cannot take it now.
    package func perform(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp? = nil,
        opening: Opening? = nil
    ) async throws -> Outcome {
        var keys: Set<String> = [customer.lockKey]
        for _ in 0..<Self.mostAttempts {
            let attempt = keys
            let result = try await locks.holding(attempt) {
                try await self.attempt(command, by: customer, at: instant, opening: opening, holding: attempt)
            }
            switch result {
            case .done(let outcome): return outcome
            case .needs(let more): keys = more
            case .conflict: continue
            }
        }
        throw ShopBusy(reason: "the account of \(customer.customer) changed \(Self.mostAttempts) times meanwhile")
    }

    private static let mostAttempts = 32

    private enum Attempt: Sendable {
        case done(Outcome)
        /// The command concerns accounts whose locks are not held.
        case needs(Set<String>)
        case conflict
    }

    private func attempt(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp?,
        opening: Opening?,
        holding keys: Set<String>
    ) async throws -> Attempt {
        let scope = customer.scope
        let wanted = instant ?? now(in: scope)
        let present = try await storage.account(realm: scope.realm, app: scope.app, customer: customer.customer)
        let isNew = present == nil
        let account: Account
        if let present {
            account = present
        } else {
            guard let opening else { throw Refusal.unknownAccount(customer.customer) }
            account = try await open(customer, opening, at: wanted)
        }
        let loaded = [account] + (try await others(concernedBy: command, of: account))
        // Who says no instant means now; an account that was dated ahead goes on from its last event.
        let now = instant ?? loaded.reduce(wanted) { max($0, $1.lastEvent) }
        let needed = Set(loaded.map { CustomerName(scope, $0.customer).lockKey })
        guard needed.isSubset(of: keys) else { return .needs(needed.union(keys)) }

        var rows: [Transaction] = []
        for id in command.rows(from: loaded) {
            if let row = try await storage.transaction(id), loaded.contains(where: { $0.id == row.account }) {
                rows.append(row)
            }
        }
        let ids = try await identifiers.take(command.mostIdentifiers(for: loaded))
        var ledger = Ledger(
            accounts: loaded,
            rows: rows,
            catalog: registry.catalog(of: scope.app),
            policy: policy(of: scope.realm),
            identifiers: ids,
            at: now
        )
        let actor = loaded[0].id
        try ledger.perform(command, by: actor)

        let change = Self.change(from: loaded, to: ledger, opening: isNew ? actor : nil)
        guard !change.accounts.isEmpty || !change.rows.isEmpty else {
            return .done(Outcome(account: loaded[0], ledger: ledger))
        }
        switch await commits.commit(change) {
        case .success:
            return .done(
                Outcome(account: change.accounts.first { $0.account.id == actor }?.account ?? loaded[0], ledger: ledger)
            )
        case .failure(.conflict):
            return .conflict
        case .failure(.codeUsedUp(let redemption)):
            throw Refusal.codeUsedUp(offer: redemption.offerID, limit: redemption.limit)
        case .failure(.engine(let words)):
            logger.error("commit failed", metadata: ["cause": "\(words)"])
            throw ShopBusy(reason: "the store did not take the change")
        }
    }

    /// Everybody else whom the command concerns: the family, and the family that is joined.
    private func others(concernedBy command: Command, of account: Account) async throws -> [Account] {
        var ids = Set(account.family?.members ?? [])
        if case .joinFamily(let host, _) = command {
            ids.insert(host)
            if let family = try await storage.account(host)?.family { ids.formUnion(family.members) }
        }
        ids.remove(account.id)
        var others: [Account] = []
        for id in ids.sorted() {
            if let other = try await storage.account(id) { others.append(other) }
        }
        return others
    }

    private func open(_ customer: CustomerName, _ opening: Opening, at now: Timestamp) async throws -> Account {
        var ids = try await identifiers.take(1)
        let scope = customer.scope
        let partition = Partition(realm: scope.realm, app: scope.app, customer: customer.customer)
        var account = Account(
            id: ids.account(in: partition),
            realm: scope.realm,
            app: scope.app,
            customer: customer.customer,
            storefront: opening.storefront,
            at: now
        )
        if opening.downloadsApp {
            account.appTransaction = AppTransaction(
                originalPurchaseDate: now.wholeSecond,
                originalPlatform: opening.platform,
                originalApplicationVersion: opening.applicationVersion,
                applicationVersion: opening.applicationVersion
            )
        }
        return account
    }

    /// What differs between the accounts as they were loaded and as the rules left them.
    ///
    /// - Parameter opening: the account that the store does not have yet.
    private static func change(from loaded: [Account], to ledger: Ledger, opening: AccountID?) -> Change {
        let accounts = loaded.compactMap { before -> AccountChange? in
            let isNew = before.id == opening
            guard var after = ledger.accounts[before.id], isNew || after != before else { return nil }
            after.version = before.version + 1
            return AccountChange(account: after, before: isNew ? nil : before.version)
        }
        return Change(accounts: accounts, rows: ledger.rowChanges, redemptions: ledger.redemptions)
    }

    /// Opens an account for a customer who does nothing yet. Opening one that exists changes nothing.
    package func openAccount(
        _ customer: CustomerName,
        _ opening: Opening,
        at instant: Timestamp? = nil
    ) async throws -> Account {
        try await locks.holding([customer.lockKey]) {
            let scope = customer.scope
            let find = {
                try await self.storage.account(realm: scope.realm, app: scope.app, customer: customer.customer)
            }
            if let account = try await find() { return account }
            var account = try await self.open(customer, opening, at: instant ?? self.now(in: scope))
            account.version = 1
            let change = Change(accounts: [AccountChange(account: account, before: nil)])
            if case .success = await self.commits.commit(change) { return account }
            guard let account = try await find() else { throw ShopBusy(reason: "the store did not take the account") }
            return account
        }
    }
}

/// Whose account it is: a customer of an app in a realm.
package struct CustomerName: Hashable, Sendable {
    /// The app and the realm in which the name is unique.
    package let scope: AccountScope
    /// Whatever the operator calls them.
    package let customer: String

    /// A customer of an app in a realm.
    package init(_ scope: AccountScope, _ customer: String) {
        self.scope = scope
        self.customer = customer
    }

    var lockKey: String { "\(scope.realm.rawValue)/\(scope.app)/\(customer)" }
}

/// How an account is opened for a customer who has none.
package struct Opening: Sendable {
    /// Where the customer shops unless a purchase says otherwise.
    package var storefront: Storefront
    /// Whether the customer downloads the app, and so has an app transaction.
    package var downloadsApp: Bool
    /// `originalPlatform` of the app transaction; unused without a download.
    package var platform: AppTransaction.Platform
    /// The first version and the present one; unused without a download.
    package var applicationVersion: String

    /// By default the customer shops in the United States and downloads version 1.0 on iOS.
    package init(
        storefront: Storefront = .unitedStates,
        downloadsApp: Bool = true,
        platform: AppTransaction.Platform = .iOS,
        applicationVersion: String = "1.0"
    ) {
        self.storefront = storefront
        self.downloadsApp = downloadsApp
        self.platform = platform
        self.applicationVersion = applicationVersion
    }
}

/// What came of an act, once it is durable.
package struct Outcome: Sendable {
    /// The acting account as it was committed.
    package let account: Account
    /// Rows and events of everybody concerned.
    package let ledger: Ledger

    /// What happened, in order.
    package var events: [Event] { ledger.events }

    /// The row of the acting account that the act was about, as it now is: the last one it wrote, else the one it
    /// named.
    package var transaction: Transaction? {
        ledger.rowChanges.last { $0.after.account == account.id && $0.after.isUpgraded == false }?.after
            ?? ledger.rowChanges.last { $0.after.account == account.id }?.after
    }
}

/// The store cannot take the act now; the caller may try again.
package struct ShopBusy: Error, CustomStringConvertible {
    /// No full stop at its end: control puts it into a sentence, the API into the journal.
    package let reason: String

    package var description: String { reason }
}
