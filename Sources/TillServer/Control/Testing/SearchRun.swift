import TillControl
import TillCore
import TillShop
import TillStorage

/// One search: exact matches by keys and unique indexes, then customers whose names begin with the value. Its cost does
/// not grow with the number of customers.
struct SearchRun {
    let shop: Shop
    let value: String
    /// The environments of apps to search.
    let scopes: [AccountScope]
    /// The environments to search.
    let environments: [StoreEnvironment]
    /// Whether the search covers all apps, and so requests without a known app.
    let isOfAllApps: Bool
    /// The maximum number of results of a page.
    let limit: Int

    /// The maximum length of a value, in bytes: that of a customer's name.
    static let maxLength = 128
    /// How long a page searches for names before it ends, because each app needs a look-up of its own.
    private static let maxTime = Duration.seconds(2)

    /// The maximum number of transactions of an order that are found.
    private static let maxOfOrder = 1_000
    /// The number of owners of an app account token that are read at once.
    private static let ownersAtOnce = 100

    private var storage: any Storage { shop.storage }

    /// A page of results.
    ///
    /// - Parameter position: nil for the first page; else 0 and the number of exact matches that earlier pages have, 1
    ///   and the account after which the owners of an app account token continue, or the number of an environment (from
    ///   2) and the account after which its names continue.
    func page(after position: [Int64]?) async throws -> SearchResults {
        let (step, key) = (position?[0] ?? 0, position?[1] ?? 0)
        guard (0...Int64(scopes.count) + 1).contains(step), key >= 0 else { throw ControlError.badPage }
        var results = SearchResults(matches: [])
        if step == 0 {
            let rest = try await exactMatches().dropFirst(Int(clamping: key))
            results.matches = Array(rest.prefix(limit))
            if rest.count >= limit {
                results.next = rest.count > limit ? "0-\(key + Int64(limit))" : "1-0"
                return results
            }
        }
        if step <= 1 {
            let after = step == 1 ? AccountID(key) : nil
            let owners = try await owners(after: after, limit: limit - results.matches.count)
            results.matches += owners.matches
            if let next = owners.next {
                results.next = "1-\(next.wireForm)"
                return results
            }
        }
        try await addNames(to: &results, from: step < 2 ? nil : (Int(step) - 2, key))
        return results
    }

    // MARK: Exact matches

    private func exactMatches() async throws -> [SearchMatch] {
        var found = try await storage.accounts(named: value, in: scopes).map { match(.customer, $0) }
        // No identifier has spaces.
        guard value.utf8.count <= 64, !value.contains(" ") else { return found }
        found += try await transactions()
        found += try await orders()
        if let uuid = UUIDText.canonical(value), let entry = try await storage.notification(uuid: uuid),
            scopes.contains(entry.scope)
        {
            found.append(try await match(entry))
        }
        if let entry = try await request(), isSeen(entry) {
            var match = SearchMatch(kind: .request, bundleId: entry.app, environment: entry.environment)
            match.requestId = entry.id
            match.date = entry.at
            found.append(match)
        }
        return found
    }

    /// The request whose id is the value, in any case.
    private func request() async throws -> RequestLogEntry? {
        if let entry = try await shop.requestLog.entry(value) { return entry }
        let id = value.uppercased()
        return id == value ? nil : try await shop.requestLog.entry(id)
    }

    private func isSeen(_ entry: RequestLogEntry) -> Bool {
        if isOfAllApps { return environments.contains(entry.environment) }
        guard let app = entry.app else { return false }
        return scopes.contains(AccountScope(environment: entry.environment, app: app))
    }

    /// The transactions and the customers whose ids in payloads are the value.
    private func transactions() async throws -> [SearchMatch] {
        guard let number = Int64(value), number > 0, String(number) == value else { return [] }
        var found: [SearchMatch] = []
        if AccountID.hasShape(number) {
            if let account = try await storage.storedAccount(AccountID(number)) { found += seen(account) }
        } else if let row = try await storage.transaction(TransactionID(number)) {
            found += try await matches(of: [row], as: nil)
        }
        for known in try await storage.foreignIdentifiers(value, in: scopes) where known.kind == .transaction {
            if known.own == known.account.number {
                if let account = try await storage.storedAccount(known.account) { found += seen(account) }
            } else if let row = try await storage.transaction(TransactionID(known.own)) {
                found += try await matches(of: [row], as: nil)
            }
        }
        return found
    }

    private func orders() async throws -> [SearchMatch] {
        var rows: [Transaction] = []
        // Customers read their order ids aloud or type them.
        if let order = OrderID(wireForm: value.uppercased()) { rows = try await storage.transactions(in: order) }
        for known in try await storage.foreignIdentifiers(value, in: scopes) where known.kind == .order {
            rows += try await storage.transactions(in: OrderID(known.own))
        }
        return try await matches(of: Array(rows.prefix(Self.maxOfOrder)), as: .order)
    }

    // MARK: App account tokens

    private func owners(after: AccountID?, limit: Int) async throws -> (matches: [SearchMatch], next: AccountID?) {
        guard let token = UUIDText.canonical(value) else { return ([], nil) }
        let end = ContinuousClock.now + Self.maxTime
        var matches: [SearchMatch] = []
        // The position of the next page is an owner whom the caller may see, so it tells nothing about other apps.
        var (last, lastSeen) = (after, after)
        while ContinuousClock.now < end {
            let found = try await storage.owners(ofToken: token, after: last, limit: Self.ownersAtOnce)
            for id in found {
                guard let account = try await storage.storedAccount(id) else { continue }
                let own = seen(account, as: .appAccountToken)
                if !own.isEmpty, matches.count >= limit { return (matches, lastSeen) }
                matches += own
                if !own.isEmpty { lastSeen = id }
            }
            last = found.last
            guard found.count == Self.ownersAtOnce else { break }
        }
        return (matches, nil)
    }

    // MARK: Names

    /// Adds customers whose names begin with the value, until the page is full or its time is over.
    private func addNames(to results: inout SearchResults, from position: (scope: Int, account: Int64)?) async throws {
        guard value.utf8.count < Self.maxLength else { return }
        let end = ContinuousClock.now + Self.maxTime
        var last: FoundCustomer?
        if let position, position.account > 0 {
            guard AccountID.hasShape(position.account) else { throw ControlError.badPage }
            last = try await lastFound(AccountID(position.account), in: scopes[position.scope])
        }
        for place in scopes.indices.dropFirst(position?.scope ?? 0) {
            let room = limit - results.matches.count
            guard room > 0, ContinuousClock.now < end else {
                results.next = "\(place + 2)-\(last?.account.wireForm ?? "0")"
                return
            }
            let found = try await storage.customers(value, in: scopes[place], after: last, limit: room + 1)
            for customer in found.prefix(room) where customer.customer != value {
                var match = SearchMatch(
                    kind: .customer,
                    isExact: false,
                    bundleId: scopes[place].app,
                    environment: scopes[place].environment
                )
                match.customer = customer.customer
                results.matches.append(match)
            }
            if found.count > room {
                results.next = "\(place + 2)-\(found[room - 1].account.wireForm)"
                return
            }
            last = nil
        }
    }

    /// The customer after whom a page begins.
    ///
    /// If the customer was erased since the previous page, the page begins with the first customer of the same
    /// partition: no earlier page has the customer whose whole name is the value as the beginning of a name. A position
    /// of another query has the same answer, so it tells nothing about customers of other apps.
    private func lastFound(_ id: AccountID, in scope: AccountScope) async throws -> FoundCustomer {
        guard let stored = try await storage.storedAccount(id), stored.account?.scope == scope,
            stored.customer.utf8.starts(with: value.utf8)
        else { return FoundCustomer(account: id, customer: value) }
        return FoundCustomer(account: id, customer: stored.customer)
    }

    // MARK: Results

    private func match(_ kind: SearchMatchKind, _ account: Account) -> SearchMatch {
        var match = SearchMatch(kind: kind, bundleId: account.app, environment: account.environment)
        match.customer = account.customer
        return match
    }

    /// The result for an account, if it can be read and the caller may see it.
    private func seen(_ stored: StoredAccount, as kind: SearchMatchKind = .customer) -> [SearchMatch] {
        guard let account = stored.account, scopes.contains(account.scope) else { return [] }
        return [match(kind, account)]
    }

    /// The results for transactions whose customers the caller may see.
    ///
    /// - Parameter kind: nil for results by the id of the transaction.
    private func matches(of rows: [Transaction], as kind: SearchMatchKind?) async throws -> [SearchMatch] {
        var found: [SearchMatch] = []
        for row in rows {
            guard let account = try await storage.storedAccount(row.account) else { continue }
            for var match in seen(account, as: kind ?? (row.isOriginal ? .originalTransaction : .transaction)) {
                match.transactionId = row.shownID
                match.productId = row.productID
                match.date = row.purchaseDate
                found.append(match)
            }
        }
        return found
    }

    private func match(_ entry: OutboxEntry) async throws -> SearchMatch {
        var match = SearchMatch(kind: .notification, bundleId: entry.scope.app, environment: entry.scope.environment)
        match.notificationUUID = entry.uuid
        match.notificationType = [entry.type, entry.subtype].compactMap(\.self).joined(separator: "/")
        match.date = entry.signedDate
        if let account = entry.account {
            let stored = try await storage.storedAccount(account)
            match.customer = stored?.customer
            match.transactionId = try await storage.shownID(of: entry.transaction, of: stored)
        }
        return match
    }
}

extension Storage {
    /// The id that payloads have of a transaction. That of an imported customer's transaction is stored with it; if the
    /// transaction no longer exists, the answer is Till's own id.
    ///
    /// - Parameter account: the customer.
    func shownID(of transaction: TransactionID?, of account: StoredAccount?) async throws -> String? {
        guard let transaction else { return nil }
        guard account?.account?.foreignID != nil else { return transaction.wireForm }
        return try await self.transaction(transaction)?.shownID ?? transaction.wireForm
    }
}
