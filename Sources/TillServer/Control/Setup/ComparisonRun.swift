import TillControl
import TillCore
import TillShop
import TillStorage

/// Finds one page of the differences between two states of an app. It reads both states in the same order, a limited
/// number of accounts and notifications for each page, so its cost does not grow with the app.
struct ComparisonRun {
    let control: ControlAPI
    /// The earlier snapshot.
    let from: String
    /// The later snapshot; nil for the current state.
    let to: String?
    /// The maximum number of differences.
    let limit: Int
    /// Where the page begins.
    let position: Position
    /// The differences found so far.
    var differences: [StateDifference] = []
    /// Where the next page begins; nil on the last page.
    var next: Position?
    private var accountsRead = 0
    private var transactionsRead = 0
    /// The customers of the notifications found so far.
    private var owners: [AccountID: StoredAccount] = [:]

    /// The maximum number of accounts, and of notifications, that a page reads of each state.
    private static let maxRead = 1_000
    /// After this number of transactions, a page ends with the present account. Customers whose data differs only in
    /// fields that are not shown would otherwise make a page read all their transactions.
    private static let maxTransactions = 20_000
    /// The maximum number of accounts or notifications that are read at once.
    private static let step = 200
    /// The maximum number of transactions of each of these accounts that are read at once.
    private static let transactionsAtOnce = 50

    private var storage: any Storage { control.shop.storage }

    init(control: ControlAPI, from: String, to: String?, limit: Int, position: Position) {
        self.control = control
        self.from = from
        self.to = to
        self.limit = limit
        self.position = position
    }

    /// A position in the differences of an app.
    struct Position {
        /// The place of the environment in `StoreEnvironment.allCases`.
        var environment = 0
        /// Whether the accounts of the environment are over, and its notifications follow.
        var isInNotifications = false
        /// The last account whose differences are complete; or the signed date of the last notification.
        var key: Int64 = 0
        /// The number of differences of the next account that earlier pages have; or the last notification.
        var offset: Int64 = 0

        init() {}

        /// - Throws: `ControlError` for a text that is not the `next` of a page.
        init(_ text: String?) throws(ControlError) {
            guard let numbers = try ControlError.position(text, count: 4) else { return }
            guard StoreEnvironment.allCases.indices.contains(Int(clamping: numbers[0])), (0...1).contains(numbers[1])
            else { throw .badPage }
            environment = Int(numbers[0])
            isInNotifications = numbers[1] == 1
            (key, offset) = (numbers[2], numbers[3])
        }

        /// The value of `next`.
        var text: String { "\(environment)-\(isInNotifications ? 1 : 0)-\(key)-\(offset)" }
    }

    /// Finds the differences of the page.
    mutating func compare(_ app: String) async throws {
        var place = position
        for (number, environment) in StoreEnvironment.allCases.enumerated() where number >= position.environment {
            let scope = AccountScope(environment: environment, app: app)
            place.environment = number
            if !place.isInNotifications {
                try await compareAccounts(scope, &place)
                if next != nil { return }
                place = Position()
                (place.environment, place.isInNotifications) = (number, true)
            }
            try await compareNotifications(scope, &place)
            if next != nil { return }
            place = Position()
        }
    }

    // MARK: Accounts

    private mutating func compareAccounts(_ scope: AccountScope, _ place: inout Position) async throws {
        while true {
            let after = place.key > 0 ? AccountID(place.key) : nil
            let old = try await storage.storedAccounts(of: scope, in: from, after: after, limit: Self.step)
            let new = try await accounts(of: scope, after: after)
            // Beyond the last account of a full part, the other state may have accounts that were not read yet.
            let ends = [old, new].compactMap { $0.count == Self.step ? $0.last?.id : nil }
            let end = ends.min()
            let pairs = Self.pairs(old, new).filter { end == nil || $0.id <= end ?? $0.id }
            let equal = try await equal(among: pairs)
            for pair in pairs {
                if !equal.contains(pair.id) {
                    let found = try await differences(of: pair, scope)
                    let rest = found.dropFirst(Int(clamping: place.offset))
                    let room = limit - differences.count
                    differences += rest.prefix(room)
                    if rest.count > room {
                        place.offset += Int64(room)
                        next = place
                        return
                    }
                }
                (place.key, place.offset) = (pair.id.number, 0)
                if transactionsRead >= Self.maxTransactions {
                    next = place
                    return
                }
            }
            guard end != nil else { return }
            accountsRead += pairs.count
            if accountsRead >= Self.maxRead || differences.count >= limit {
                next = place
                return
            }
        }
    }

    private func accounts(of scope: AccountScope, after: AccountID?) async throws -> [StoredAccount] {
        if let to { return try await storage.storedAccounts(of: scope, in: to, after: after, limit: Self.step) }
        return try await storage.storedAccounts(of: scope, after: after, limit: Self.step)
    }

    /// An account in the two states.
    struct Pair {
        let id: AccountID
        var old: StoredAccount?
        var new: StoredAccount?
    }

    private static func pairs(_ old: [StoredAccount], _ new: [StoredAccount]) -> [Pair] {
        var pairs: [AccountID: Pair] = [:]
        for account in old { pairs[account.id] = Pair(id: account.id, old: account) }
        for account in new { pairs[account.id, default: Pair(id: account.id)].new = account }
        return pairs.values.sorted { $0.id < $1.id }
    }

    /// The accounts that are known to be equal, with all their transactions. Two states with equal accounts can have
    /// different transactions, if a snapshot was restored between them. An account with more transactions than are read
    /// here is compared alone.
    private func equal(among pairs: [Pair]) async throws -> Set<AccountID> {
        let ids = pairs.filter { $0.old == $0.new }.map(\.id)
        let limit = Self.transactionsAtOnce
        let old = try await storage.latestTransactions(of: ids, in: from, limit: limit)
        let new = try await storage.latestTransactions(of: ids, in: to, limit: limit)
        return Set(ids.filter { old[$0] == new[$0] && old[$0]?.count ?? 0 < limit })
    }

    private mutating func differences(of pair: Pair, _ scope: AccountScope) async throws -> [StateDifference] {
        var found = AccountDifferences(control: control, scope: scope, pair: pair)
        let limit = AccountDifferences.maxTransactions
        let old = pair.old == nil ? [:] : try await storage.latestTransactions(of: [pair.id], in: from, limit: limit)
        let new = pair.new == nil ? [:] : try await storage.latestTransactions(of: [pair.id], in: to, limit: limit)
        transactionsRead += (old[pair.id]?.count ?? 0) + (new[pair.id]?.count ?? 0)
        try found.compare(old[pair.id] ?? [], new[pair.id] ?? [])
        return found.differences
    }

    // MARK: Notifications

    private mutating func compareNotifications(_ scope: AccountScope, _ place: inout Position) async throws {
        var read = 0
        while true {
            let after = NotificationHead.Position(
                signedDate: Timestamp(milliseconds: place.key),
                id: NotificationID(place.offset)
            )
            let old = try await storage.notificationHeads(of: scope, in: from, after: after, limit: Self.step)
            let new = try await storage.notificationHeads(of: scope, in: to, after: after, limit: Self.step)
            let ends = [old, new].compactMap { $0.count == Self.step ? $0.last?.position : nil }
            let end = ends.min()
            let (known, present) = (Set(old.map(\.id)), Set(new.map(\.id)))
            let all = old.filter { !present.contains($0.id) } + new
            for head in all.sorted(by: { $0.position < $1.position })
            where end == nil || head.position <= end ?? head.position {
                let isSame = known.contains(head.id) && present.contains(head.id)
                if !isSame {
                    guard differences.count < limit else {
                        next = place
                        return
                    }
                    differences.append(
                        try await difference(of: head, known.contains(head.id) ? .removed : .added, scope)
                    )
                }
                (place.key, place.offset) = (head.signedDate.milliseconds, head.id.number)
            }
            guard end != nil else { return }
            read += Self.step
            if read >= Self.maxRead {
                next = place
                return
            }
        }
    }

    private mutating func difference(of head: NotificationHead, _ change: DifferenceKind, _ scope: AccountScope)
        async throws -> StateDifference
    {
        var difference = StateDifference(.notification, change, in: scope.environment)
        difference.notificationUUID = head.uuid
        difference.notificationType = [head.type, head.subtype].compactMap(\.self).joined(separator: "/")
        difference.date = head.signedDate
        if let account = head.account {
            let owner = try await owner(account, scope, in: change == .removed ? from : to)
            owners[account] = owner
            difference.customer = owner?.customer
            difference.transactionId = try await storage.shownID(of: head.transaction, of: owner)
        }
        return difference
    }

    private func owner(_ account: AccountID, _ scope: AccountScope, in snapshot: String?) async throws -> StoredAccount?
    {
        if let known = owners[account] { return known }
        guard let snapshot else { return try await storage.storedAccount(account) }
        let before = AccountID(account.number - 1)
        let found = try await storage.storedAccounts(of: scope, in: snapshot, after: before, limit: 1).first
        return found?.id == account ? found : nil
    }
}
