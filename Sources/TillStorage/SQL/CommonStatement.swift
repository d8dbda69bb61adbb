import TillCore

/// The statements that both engines execute. The text of most of them is the same in both.
package enum CommonStatement: Int, CaseIterable, Sendable {
    // Accounts.
    case accountByID, accountByCustomer, accountsOfScope, accountsOfAll, insertAccount, updateAccount, nextDueOfAccount

    // The ledger.
    case insertRow, moveRow, ownerOfRow, rowByID, rowsOfOrder, refundsAfter, latestRefunds

    // The identifiers of other stores.
    case foreignIdentifier, insertForeignIdentifier, eraseForeignIdentifiers, reservedCounters

    // Due accounts and deliveries.
    case dueAccounts, dueAccountsInPart, dueDeliveries, dueDeliveriesInPart
    case pendingCount, pendingByClock, pendingEndpoints

    // Notifications and deliveries.
    case insertEntry, signEntry, entryByID, entryByUUID
    case insertDelivery, recordDelivery, redeliver, dropDeliveries, moveDeliveries, deliveriesOfEntry
    case prunable, pruneDeliveries, pruneEntry

    // Documents, identifiers, redemptions and the request log.
    case documentsOfKind, documentByName, putDocument, keepDocument, removeDocument
    case reserveIdentifiers, identifierHighWater, countRedemption, usedUpCode
    case appendRequestLog, trimRequestLog, requestLogByID, newestRequestLog, requestLogPage, eraseRequestLogEntry

    // The audit log.
    case putAudit, newestAudit, oldestAudit, pruneAudit, eraseAuditCustomer, eraseAuditObject

    // The data of a customer.
    case rowsOfAccount, entriesOfAccount, deliveriesOfAccount, snapshotsHolding
    case eraseDeliveries, eraseEntries, eraseRows, eraseAccount

    // Search, and comparison of snapshots.
    case customersByPrefix, ownersOfToken, entryByUUIDAlone
    case accountsOfSnapshot, rowsOfSnapshot, latestRows, headsOfSnapshot, heads

    // Checks of `till doctor`.
    case misplacedRows, misplacedAccounts, miscounted, beyondHead, refundsWithoutNumber, halfRevocations
    case copiesWithoutSource, strangeClocks, deliveriesOnStrangeClocks, missingNotifications, orphanedDeliveries
    case orphanedForeignIdentifiers
    case missingChains, fallenIdentifiers

    /// The text and the properties of the statement. All texts are built once, because every read uses one.
    package var sql: StatementSQL { Self.all[rawValue] }

    private static let all = allCases.map { StatementSQL($0) }

    /// Whether the statement must write a row. If it writes none, the change fails.
    package var isGuarded: Bool {
        [.updateAccount, .moveRow, .countRedemption, .eraseAccount, .insertForeignIdentifier].contains(self)
    }

    /// Whether the statement reads at most a few hundred rows by one index range.
    fileprivate var isShort: Bool {
        switch self {
        case .accountByID, .accountByCustomer, .nextDueOfAccount, .ownerOfRow, .rowByID, .rowsOfOrder, .refundsAfter,
            .latestRefunds, .foreignIdentifier, .entryByID, .usedUpCode:
            true
        default: false
        }
    }

    /// The reason why the statement touches all partitions of PostgreSQL; nil if it touches one, or tables without
    /// partitions.
    package var sweep: String? {
        switch self {
        case .accountsOfScope, .accountsOfAll:
            "a list of accounts over all customers: an ordered merge of one index range of each partition"
        case .dueAccounts, .dueDeliveries:
            "a clock's customers are in all partitions: an ordered merge, of at most a page and a row of each"
        case .prunable:
            "an app's oldest notifications: an ordered merge, of at most a page and a row of each partition"
        case .pendingCount, .pendingByClock, .pendingEndpoints, .dropDeliveries:
            "an endpoint has deliveries in all partitions: the indexes contain pending deliveries only"
        case .entryByUUID:
            "a UUID contains no partition; operators look up by UUID, but the App Store Server API never does"
        case .customersByPrefix:
            "the names are in all partitions: a range of an index for each logical partition, up to a page"
        case .ownersOfToken: "a token contains no partition: one range of an index of each partition, up to a page"
        case .entryByUUIDAlone: "a UUID contains no partition; operators search for it"
        case .heads: "an app's notifications: an ordered merge, of at most a page and a row of each partition"
        case .misplacedRows, .misplacedAccounts, .miscounted, .beyondHead, .refundsWithoutNumber, .halfRevocations,
            .copiesWithoutSource, .strangeClocks, .deliveriesOnStrangeClocks, .missingNotifications,
            .orphanedDeliveries, .orphanedForeignIdentifiers, .missingChains:
            "the doctor reads everything"
        default: nil
        }
    }
}

/// The text of a statement in both engines. Parameters are `$1`, `$2` and so on.
package struct StatementSQL: Sendable {
    /// The name of the statement, which is unique.
    package let name: String
    /// The text for SQLite.
    package let sqlite: String
    /// The text for PostgreSQL.
    package let postgres: String
    /// The table that the statement reads or writes, for error messages.
    package let table: String
    /// How SQLite executes the statement.
    package let use: Use

    /// How SQLite executes a statement.
    package enum Use: Sendable {
        /// On the caller's thread, because it reads only a few rows.
        case shortRead
        case read
        case write
    }

    fileprivate init(_ statement: CommonStatement) {
        let text = statement.text
        name = String(describing: statement)
        sqlite = Self.sqliteText(of: statement.sqliteText ?? text)
        postgres = String(decoding: text.utf8.filter { $0 != UInt8(ascii: "@") }, as: UTF8.self)
        // Subqueries of a statement that reads are before its own table.
        table = Self.table(of: text) ?? name
        use = text.hasPrefix("SELECT") ? (statement.isShort ? .shortRead : .read) : .write
    }

    // All texts are read at each start, so what follows reads bytes: characters or regular expressions take 4 ms.

    /// The text with `?1` in place of `$1`, and with a plus in place of `@`. SQLite numbers `?1` by the number, but
    /// `$1` by its first occurrence. A `$` before another character belongs to a path in JSON.
    private static func sqliteText(of text: String) -> String {
        var bytes = Array(text.utf8)
        for place in bytes.indices {
            if bytes[place] == UInt8(ascii: "@") { bytes[place] = UInt8(ascii: "+") }
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            if bytes[place] == UInt8(ascii: "$"), place + 1 < bytes.count, digits.contains(bytes[place + 1]) {
                bytes[place] = UInt8(ascii: "?")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The table after the last `FROM`, `INTO` or `UPDATE`; nil if there is none.
    private static func table(of text: String) -> String? {
        let words = text.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }
        func isOne(_ word: Substring.UTF8View, of texts: [String]) -> Bool {
            texts.contains { word.elementsEqual($0.utf8) }
        }
        let place = words.indices.dropLast().last { index in
            isOne(words[index], of: ["FROM", "INTO", "UPDATE"]) && !isOne(words[index + 1], of: ["SELECT", "SET"])
        }
        return place.flatMap { String(words[$0 + 1]) }
    }

    /// The parameters `$1` to `$count` as a list.
    static func places(_ count: Int) -> String { (1...count).map { "$\($0)" }.joined(separator: ", ") }

    /// A statement that sets each column to the parameter with its place, except for the columns of the key.
    static func update(_ table: String, _ columns: [String], key: [String]) -> String {
        func terms(_ isKey: Bool) -> [String] {
            columns.enumerated().filter { key.contains($0.element) == isKey }
                .map { "\($0.element) = $\($0.offset + 1)" }
        }
        return "UPDATE \(table) SET \(terms(false).joined(separator: ", ")) "
            + "WHERE \(terms(true).joined(separator: " AND "))"
    }
}
