import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The differences of one account between two states, described with the objects of the control API.
struct AccountDifferences {
    let control: ControlAPI
    let scope: AccountScope
    let pair: ComparisonRun.Pair
    /// The differences found so far: the customer, the renewals, and the transactions.
    private(set) var differences: [StateDifference] = []

    /// The number of transactions of an account that are compared: those that changed last.
    static let maxTransactions = 2_000

    init(control: ControlAPI, scope: AccountScope, pair: ComparisonRun.Pair) {
        self.control = control
        self.scope = scope
        self.pair = pair
    }

    /// Finds the differences.
    ///
    /// - Parameters:
    ///   - old: the transactions in the earlier state, with the latest change first.
    ///   - new: the transactions in the later state.
    mutating func compare(_ old: [Transaction], _ new: [Transaction]) throws {
        add(difference(.customer, try fields(of: pair.old), try fields(of: pair.new)))
        try compareRenewals()
        try compareTransactions(old, new)
    }

    // MARK: Parts

    /// The values of an object, by the name of the field.
    private typealias Fields = [(name: String, value: String)]

    private func fields(of stored: StoredAccount?) throws -> Fields? {
        guard let stored else { return nil }
        guard let account = stored.account else { return [("damaged", stored.damage?.description ?? "")] }
        return try Self.fields(of: control.info(of: account), without: ["customer", "subscriptions"])
    }

    private mutating func compareRenewals() throws {
        let old = pair.old?.account.map(renewals) ?? [:]
        let new = pair.new?.account.map(renewals) ?? [:]
        for id in Set(old.keys).union(new.keys).sorted() {
            var found = difference(
                .renewal,
                try old[id].map { try Self.fields(of: $0, without: Self.derived) },
                try new[id].map { try Self.fields(of: $0, without: Self.derived) }
            )
            found?.transactionId = id
            found?.productId = new[id]?.productId ?? old[id]?.productId
            add(found)
        }
    }

    /// The texts that other fields determine.
    private static let derived: Set = ["summary", "availableActions", "originalTransactionId"]

    private func renewals(of account: Account) -> [String: SubscriptionInfo] {
        let all = account.heldSubscriptions.map { control.info(of: $0, account) }
        return Dictionary(all.map { ($0.originalTransactionId, $0) }) { first, _ in first }
    }

    private mutating func compareTransactions(_ old: [Transaction], _ new: [Transaction]) throws {
        let earlier = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        let later = Dictionary(new.map { ($0.id, $0) }) { first, _ in first }
        let (oldEnd, newEnd) = (Self.lastKnown(old), Self.lastKnown(new))
        for id in Set(earlier.keys).union(later.keys).sorted() {
            let (before, after) = (earlier[id], later[id])
            guard before != after, let row = after ?? before else { continue }
            let counter = Identifiers.counter(of: id)
            if before == nil && counter <= oldEnd || after == nil && counter <= newEnd { continue }
            var found = difference(.transaction, try before.map(Self.fields), try after.map(Self.fields))
            found?.transactionId = row.shownID
            found?.productId = row.productID
            found?.date = row.purchaseDate
            add(found)
        }
    }

    /// The greatest counter of transactions that the state may have although they were not read, because others
    /// changed later; 0 if all were read. Later transactions have greater counters, also after a restore.
    private static func lastKnown(_ rows: [Transaction]) -> Int64 {
        guard rows.count == maxTransactions else { return 0 }
        return rows.map { Identifiers.counter(of: $0.id) }.max() ?? 0
    }

    private static func fields(of row: Transaction) throws -> Fields {
        let entry = LedgerEntryInfo(row, availableActions: [])
        return try fields(of: entry, without: ["transactionId", "availableActions"])
            + (row.appAccountToken.map { [("appAccountToken", $0)] } ?? [])
    }

    // MARK: Fields

    private static func fields(of object: some Encodable, without omitted: Set<String>) throws -> Fields {
        try JSONTree(encoding: object).members.compactMap { member in
            guard !omitted.contains(member.key), member.value != .null else { return nil }
            return (member.key, member.value.text ?? String(decoding: member.value.compact, as: UTF8.self))
        }
    }

    /// The difference between two objects; nil if all fields are equal.
    private func difference(_ object: ComparedObject, _ old: Fields?, _ new: Fields?) -> StateDifference? {
        guard let old, let new else {
            guard old != nil || new != nil else { return nil }
            return StateDifference(object, old == nil ? .added : .removed, in: scope.environment)
        }
        let (before, after) = (Dictionary(old) { $1 }, Dictionary(new) { $1 })
        let names = new.map(\.name) + old.map(\.name).filter { after[$0] == nil }
        let fields = names.filter { before[$0] != after[$0] }.map {
            FieldDifference(name: $0, before: before[$0], after: after[$0])
        }
        guard !fields.isEmpty else { return nil }
        var difference = StateDifference(object, .changed, in: scope.environment)
        difference.fields = fields
        return difference
    }

    private mutating func add(_ difference: StateDifference?) {
        guard var difference else { return }
        difference.customer = (pair.new ?? pair.old)?.customer
        differences.append(difference)
    }
}
