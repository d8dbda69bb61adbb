import Foundation
import TillCore
import TillStorage

/// Checks the rows of an exported state before they are imported. Each row must belong to the app of the file, refer
/// only to existing rows, and have numbers in range. The database cannot check this, or would reject the rows too late.
struct StateCheck {
    /// The app of the state; nil for the whole shop.
    var app: String?
    /// The highest counter value of all identifiers in the rows.
    private(set) var highestCounter: Int64 = 0
    /// The line of the row that is being checked.
    var line = 0
    /// The server's settings, under which deadlines may have been stored.
    let settings: Settings
    private var accounts: Set<Int64> = []
    private var keys = KeyCheck()
    private var relations = RelationCheck()
    private var ownedProducts = OwnedProductCheck()
    private var counts = CountCheck()
    private var catalogs: [String: Catalog] = [:]
    /// The environment settings, by the names of their documents.
    private var rules: [String: EnvironmentSettings] = [:]
    /// The ids of the certificate chains that signed notifications.
    private var chains: Set<String> = []
    /// The issuer id of the app's team.
    private var team: String?

    init(settings: Settings) { self.settings = settings }

    /// Checks a row. The tables must come in the order of `ShopTable`.
    ///
    /// - Returns: the error as a clause; nil if there is none.
    mutating func fault(in row: TableRow, of table: ShopTable) -> String? {
        if let app, table != .ledger, row["app", of: table] != .text(app) {
            return "a row of \(table.rawValue) belongs to another app than \(app)"
        }
        if case .text(let environment)? = row[ShopTable.environment, of: table],
            StoreEnvironment(rawValue: environment) == nil
        {
            return "there is no environment \(environment.prefix(64))"
        }
        guard NumberCheck.arePossible(in: row, of: table), take(Self.numbers(in: row, of: table)),
            Self.liesInItsPartition(row, of: table)
        else {
            return "a row of \(table.rawValue) has a number that is out of range"
        }
        return fault(inPossible: row, of: table) ?? keys.fault(in: row, of: table)
    }

    /// Checks a row whose numbers are in range.
    private mutating func fault(inPossible row: TableRow, of table: ShopTable) -> String? {
        switch table {
        case .documents: return fault(inDocument: row)
        case .accounts: return fault(inAccount: row)
        case .ledger:
            guard let account = Self.number("account", in: row, of: table), accounts.contains(account) else {
                return "a row of ledger belongs to an account that is not in the file"
            }
            let id = Self.number("id", in: row, of: table) ?? 0
            let original = Self.number("original_id", in: row, of: table) ?? id
            return Self.fault(inCommitment: row)
                ?? relations.fault(inTransaction: id, of: account, original: original, line: line)
                ?? fault(inTransaction: row)
        case .outbox:
            let account = Self.number("account", in: row, of: table)
            if let account, !accounts.contains(account) {
                return "a row of outbox belongs to an account that is not in the file"
            }
            let about = ["transaction_id", "original_id"].compactMap { Self.number($0, in: row, of: table) }
            let id = Self.number("id", in: row, of: table) ?? 0
            if case .text(let chain)? = row["chain", of: table], !chain.isEmpty { chains.insert(chain) }
            // Accounts do not count notifications of version 1, nor notifications that an operator triggered.
            if let account, row["is_triggered", of: table] == .integer(0), row["chain", of: table] != .text("") {
                counts.takeNotification(of: account)
            }
            return relations.fault(inNotification: id, of: account, about: about)
        case .deliveries:
            let notification = Self.number("notification", in: row, of: table)
            let account = Self.number("account", in: row, of: table)
            var clock: String?
            if case .text(let text)? = row["clock", of: table], row["due", of: table] != .null { clock = text }
            if let fault = relations.fault(inDeliveryOf: notification, to: account, by: clock) { return fault }
            guard case .text(let log)? = row["log", of: table], NumberCheck.arePossible(in: log) else {
                return "a row of deliveries has a number that is out of range"
            }
        case .redemptions: break
        }
        return nil
    }

    /// Checks the relations and counts after the last row; nil if there is no error.
    func faultAtEnd() -> StateFault? {
        StateFault.first(of: relations.faults) ?? StateFault.first(of: counts.faults)
    }

    /// Reports a missing certificate chain of a notification, as a clause; nil if every chain is known.
    ///
    /// - Parameter known: the ids of the chains in the file and in the database.
    func fault(withChains known: Set<String>) -> String? {
        chains.subtracting(known).min().map {
            "the certificates of chain \($0.cut(toBytes: 64)), which signed notifications, are missing"
        }
    }

    /// Checks the companion documents. Returns the error as a clause; nil if there is none.
    func fault(in companions: [Document]) -> String? {
        var seen: Set<[String]> = []
        for document in companions {
            let words = "\(document.kind.rawValue) \(document.name.cut(toBytes: 64))"
            guard seen.insert([document.kind.rawValue, document.name]).inserted else {
                return "the \(words) occurs twice"
            }
            let isOfTeam =
                switch document.kind {
                case .chain: true
                case .team: app != nil && document.name == team
                case .key: app != nil && (try? document.decoded(as: KeyRecord.self))?.issuerID == team
                default: false
                }
            guard isOfTeam, document.app == nil else { return "the \(words) does not belong to this state" }
        }
        return nil
    }

    private mutating func fault(inDocument row: TableRow) -> String? {
        guard let document = Document(row) else { return "the kind of this document is unknown" }
        if DocumentKind.lasting.contains(document.kind) {
            return "a document of the kind \(document.kind.rawValue) cannot be part of a state"
        }
        if let fault = Registry.fault(in: document) { return fault }
        if document.kind == .clock, let clock = try? document.decoded(as: Clocks.Record.self) { relations.take(clock) }
        if document.kind == .app, let record = try? document.decoded(as: AppRecord.self) { team = record.issuerID }
        switch document.kind {
        case .catalog: catalogs[document.name] = try? document.decoded()
        case .rules: rules[document.name] = try? document.decoded()
        case .retention: counts.takePruning(document.name)
        default: break
        }
        return nil
    }

    private mutating func fault(inTransaction row: TableRow) -> String? {
        let transaction: Transaction
        do {
            transaction = try Transaction(row)
        } catch {
            return error.reason
        }
        return counts.fault(in: transaction) ?? ownedProducts.fault(in: transaction)
    }

    private mutating func fault(inAccount row: TableRow) -> String? {
        guard case .text(let state)? = row["state", of: .accounts],
            let account = try? JSONDecoder().decode(Account.self, from: Data(state.utf8))
        else { return "the state of this account cannot be read" }
        let partition = Partition(environment: account.environment, app: account.app, customer: account.customer)
        let columns: KeyValuePairs<String, Cell> = [
            "account": .integer(account.id.number), "partition": .integer(partition.number),
            ShopTable.environment: .text(account.environment.rawValue), "app": .text(account.app),
            "customer": .text(account.customer),
            "version": .integer(account.version), "change_number": .integer(account.changeNumber),
            "row_count": .integer(account.rowCount), "clock": .text(account.clockName.key),
        ]
        guard account.id.partition == partition, columns.allSatisfy({ row[$0.key, of: .accounts] == $0.value }) else {
            return "the state of this account does not match its columns"
        }
        guard NumberCheck.arePossible(in: state), account.isWhole else {
            return "the state of this account has a number that is out of range, or a period without an end"
        }
        accounts.insert(account.id.number)
        if let fault = relations.fault(in: account, line: line) { return fault }
        counts.take(account, line: line)
        ownedProducts.take(account)
        let deadlines = DeadlineCheck(
            catalog: catalogs[account.app] ?? Catalog(),
            rules: rules["\(account.environment.rawValue)/\(account.app)"] ?? EnvironmentSettings(),
            settings: [Settings(), settings]
        )
        let noted = Self.number("next_due", in: row, of: .accounts).map { Timestamp(milliseconds: $0) }
        return deadlines.fault(in: account, noted: noted).map { "in account \(account.id.number) \($0)" }
    }

    /// Checks a commitment, which is stored as one text: period number, number of periods, end, price, currency.
    private static func fault(inCommitment row: TableRow) -> String? {
        guard case .text(let text)? = row["commitment", of: .ledger] else { return nil }
        let numbers = text.split(separator: " ").dropLast().map { Int64($0) ?? -1 }
        let isPossible =
            numbers.count == 4 && (1...1_000).contains(numbers[0]) && (1...1_000).contains(numbers[1])
            && NumberCheck.dates.contains(numbers[2]) && NumberCheck.amounts.contains(numbers[3])
        return isPossible ? nil : "a row of ledger has an impossible commitment"
    }

    // MARK: Numbers

    /// Records the highest counter value; returns false if Till cannot have assigned one of the identifiers.
    private mutating func take(_ counters: [Int64?]) -> Bool {
        for counter in counters {
            guard let counter, (0..<Identifiers.maxCounters).contains(counter) else { return false }
            highestCounter = max(highestCounter, counter)
        }
        return true
    }

    /// The counter values of the identifiers in a row; nil for an invalid identifier.
    private static func numbers(in row: TableRow, of table: ShopTable) -> [Int64?] {
        func counters(_ column: String, _ counter: (Int64) -> Int64?) -> [Int64?] {
            number(column, in: row, of: table).map { [$0 < 0 ? nil : counter($0)] } ?? []
        }
        func transaction(_ number: Int64) -> Int64? { Identifiers.counter(of: TransactionID(number)) }
        func bare(_ number: Int64) -> Int64? { number / Partition.count }
        return switch table {
        case .accounts:
            counters("account") { AccountID.hasShape($0) ? Identifiers.counter(of: AccountID($0)) : nil }
        case .ledger:
            counters("id", transaction) + counters("line_item", transaction) + counters("order_number", bare)
        case .outbox: counters("id", bare)
        case .documents, .redemptions, .deliveries: []
        }
    }

    /// Whether a row is stored in the partition that its number contains. Accounts are checked separately.
    private static func liesInItsPartition(_ row: TableRow, of table: ShopTable) -> Bool {
        let column: String? =
            switch table {
            case .ledger, .outbox: "id"
            case .deliveries: "notification"
            case .documents, .accounts, .redemptions: nil
            }
        guard let column, let number = number(column, in: row, of: table) else { return true }
        return row["partition", of: table] == .integer(Partition(of: number).number)
    }

    private static func number(_ column: String, in row: TableRow, of table: ShopTable) -> Int64? {
        if case .integer(let number)? = row[column, of: table] { number } else { nil }
    }
}
