import Crypto
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
    /// The server's settings, under which deadlines may have been stored.
    let settings: Settings
    private(set) var relations = RelationCheck()
    private var catalogs: [String: Catalog] = [:]
    /// The environment settings, by the names of their documents.
    private var rules: [String: EnvironmentSettings] = [:]
    /// The ids of the certificate chains that signed notifications.
    private var chains: Set<String> = []
    /// The issuer id of the app's team.
    private var team: String?
    /// The issuer ids of the API keys that are deleted with the app.
    private var issuersOfKeys: Set<String> = []
    /// The digests of the keys of the current table's rows. A state may be large, so the keys are not kept.
    private var keys: (table: ShopTable, seen: Set<SHA256.Digest>) = (.documents, [])

    init(settings: Settings) { self.settings = settings }

    // MARK: Rows. Each function returns the error as a clause; nil if there is none.

    /// Checks a row. The tables must come in the order of `ShopTable`.
    ///
    /// - Parameter line: the line of the row in the file.
    mutating func fault(in row: TableRow, of table: ShopTable, line: Int) -> String? {
        if let app, table != .ledger, row["app", of: table] != .text(app) {
            return "a row of \(table.rawValue) belongs to another app than \(app)"
        }
        if case .text(let environment)? = row[ShopTable.environment, of: table],
            StoreEnvironment(rawValue: environment) == nil
        {
            return "there is no environment \(environment.prefix(64))"
        }
        guard NumberCheck.arePossible(in: row, of: table), takeIdentifiers(in: row, of: table) else {
            return "a row of \(table.rawValue) has a number that is out of range"
        }
        do throws(DamagedRow) {
            return try fault(inPossible: row, of: table, line: line) ?? faultInKeys(of: row, of: table)
        } catch {
            return error.reason
        }
    }

    /// Checks a row whose numbers are in range.
    private mutating func fault(inPossible row: TableRow, of table: ShopTable, line: Int) throws(DamagedRow) -> String?
    {
        switch table {
        case .documents: return fault(inDocument: row)
        case .accounts: return fault(inAccount: row, line: line)
        case .ledger:
            let transaction = try Transaction(row)
            guard transaction.commitment?.isPossible ?? true else {
                return "a row of ledger has an impossible commitment"
            }
            return relations.fault(in: transaction, line: line)
        case .redemptions: return nil
        case .outbox:
            let entry = try OutboxEntry(row)
            if let chain = entry.content.signed?.chain { chains.insert(chain) }
            return relations.fault(in: entry)
        case .deliveries:
            let delivery = try Delivery(row)
            if let fault = relations.fault(in: delivery) { return fault }
            guard case .text(let log)? = row["log", of: table], NumberCheck.arePossible(in: log) else {
                return "a row of deliveries has a number that is out of range"
            }
            return nil
        case .foreignIdentifiers: return relations.fault(in: try ForeignIdentifier(row))
        }
    }

    private mutating func fault(inDocument row: TableRow) -> String? {
        guard let document = Document(row) else { return "the kind of this document is unknown" }
        if DocumentKind.lasting.contains(document.kind) {
            return "a document of the kind \(document.kind.rawValue) cannot be part of a state"
        }
        if let fault = Registry.fault(in: document) { return fault }
        switch document.kind {
        case .app: team = try? document.decoded(as: AppRecord.self).issuerID
        case .catalog: catalogs[document.name] = try? document.decoded()
        case .rules: rules[document.name] = try? document.decoded()
        case .key:
            // Such a key is valid for all apps of its team, so it must be that of the app.
            let key = try? document.decoded(as: KeyRecord.self)
            if app != nil, let key, key.deletedWith != nil { issuersOfKeys.insert(key.issuerID) }
        case .clock: if let clock = try? document.decoded(as: Clocks.Record.self) { relations.take(clock) }
        case .retention: relations.takePruning(document.name)
        default: break
        }
        return nil
    }

    private mutating func fault(inAccount row: TableRow, line: Int) -> String? {
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
        if let fault = relations.fault(in: account, line: line) { return fault }
        let deadlines = DeadlineCheck(
            catalog: catalogs[account.app] ?? Catalog(),
            rules: rules["\(account.environment.rawValue)/\(account.app)"] ?? EnvironmentSettings(),
            settings: [Settings(), settings]
        )
        var noted: Timestamp?
        if case .integer(let due)? = row["next_due", of: .accounts] { noted = Timestamp(milliseconds: due) }
        return deadlines.fault(in: account, noted: noted).map { "in account \(account.id.number) \($0)" }
    }

    /// Finds a row that has the same unique key as an earlier row of its table.
    private mutating func faultInKeys(of row: TableRow, of table: ShopTable) -> String? {
        if keys.table != table { keys = (table, []) }
        let further: [[String]] =
            switch table {
            case .accounts: [[ShopTable.environment, "app", "customer"]]
            case .ledger: [["account", "refund_number"]]
            case .outbox: [["uuid"]]
            case .documents, .redemptions, .deliveries, .foreignIdentifiers: []
            }
        for columns in [table.key] + further {
            let cells = row.cells(columns, of: table)
            var text: [UInt8] = Array(columns.joined(separator: " ").utf8)
            StateFile.append(TableRow(cells), to: &text)
            guard !cells.contains(.null), !keys.seen.insert(SHA256.hash(data: text)).inserted else { continue }
            let values = zip(columns, cells).map { "\($0) \($1.words)" }.joined(separator: ", ")
            return "an earlier row of \(table.rawValue) has the same key (\(values))"
        }
        return nil
    }

    // MARK: The end of the file

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
        if issuersOfKeys.contains(where: { $0 != team }) { return "an API key is not a key of the app's team" }
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

    // MARK: Identifiers

    /// Records the highest counter value. Returns false if Till cannot have assigned one of the identifiers in a row,
    /// or if the row is not in the partition that its number contains.
    private mutating func takeIdentifiers(in row: TableRow, of table: ShopTable) -> Bool {
        func number(_ column: String) -> Int64? {
            if case .integer(let number)? = row[column, of: table] { number } else { nil }
        }
        let transaction: (Int64) -> Int64? = { Identifiers.counter(of: TransactionID($0)) }
        let bare: (Int64) -> Int64? = { $0 / Partition.count }
        /// The columns with identifiers, each with a function that returns the counter value of an identifier.
        let identifiers: KeyValuePairs<String, (Int64) -> Int64?> =
            switch table {
            case .accounts:
                ["account": { AccountID.hasShape($0) ? Identifiers.counter(of: AccountID($0)) : nil }]
            case .ledger: ["id": transaction, "line_item": transaction, "order_number": bare]
            case .outbox: ["id": bare]
            case .documents, .redemptions, .deliveries, .foreignIdentifiers: [:]
            }
        for (column, counter) in identifiers {
            guard let number = number(column) else { continue }
            guard number >= 0, let counter = counter(number), (0..<Identifiers.maxCounters).contains(counter) else {
                return false
            }
            highestCounter = max(highestCounter, counter)
        }
        // The partitions of accounts are checked together with their states.
        let place = table == .deliveries ? number("notification") : table == .accounts ? nil : number("id")
        return place.map { row["partition", of: table] == .integer(Partition(of: $0).number) } ?? true
    }
}

extension Commitment {
    fileprivate var isPossible: Bool {
        (1...1_000).contains(period) && (1...1_000).contains(periods)
            && NumberCheck.dates.contains(expiresDate.milliseconds) && NumberCheck.amounts.contains(price.milliunits)
    }
}

extension Cell {
    /// The value of a key as text for messages.
    fileprivate var words: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text.cut(toBytes: 64)
        case .bytes, .null: "?"
        }
    }
}
