import TillCore
import TillStorage

/// Copies all data from one store to another, row by row, and then verifies that both stores are equal.
///
/// The source is only read. Until the copy is complete, the target contains a mark: servers refuse to use the target,
/// and the next attempt erases it first. The request log is not copied.
package struct StoreMigration: Sendable {
    private let source: any Storage
    private let target: any Storage
    private let command: CarryingCommand
    private let note: @Sendable (Progress) -> Void

    /// The progress of a migration.
    package struct Progress: Sendable {
        /// The phase of a migration: copying rows, or comparing them.
        package enum Step: String, Sendable {
            case carried
            case checked
        }

        /// Whether the rows are being copied or compared.
        package let step: Step
        /// The name of the table: `table`, or `snapshot/table` for a table of a snapshot.
        package let part: String
        /// The number of rows of the table that were copied or compared so far.
        package let rows: Int
        /// Whether all rows of the table were copied or compared.
        package let isWhole: Bool
    }

    /// The result of a migration: the tables and snapshots, which are equal in both stores.
    package struct Report: Sendable {
        /// The tables in the order in which they were copied, followed by the tables of the snapshots.
        package internal(set) var parts: [(name: String, sum: TableChecksum)] = []
        /// The names of the snapshots.
        package internal(set) var snapshots: [String] = []
        /// The counter of the first identifier that the target may assign.
        package internal(set) var highWater: Int64 = 0
    }

    /// Prepares a migration. No server may be using either store.
    ///
    /// - Parameters:
    ///   - command: the command that runs the migration; the mark of an unfinished target contains its name.
    ///   - note: receives the progress after each page.
    package init(
        from source: any Storage,
        to target: any Storage,
        as command: CarryingCommand = .migrate,
        noting note: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.command = command
        self.note = note
    }

    /// Copies all rows, and then compares both stores.
    ///
    /// - Parameter finish: performs the last steps in the target, before servers may use it.
    /// - Throws: `MigrationRefused`, and errors of the engines.
    package func run(finishing finish: (any Storage) async throws -> Void = { _ in }) async throws -> Report {
        try await source.requireWhole()
        for store in [source, target] { try await store.requireNoServer() }
        try await prepareTarget()
        var report = Report()
        report.highWater = try await source.identifierHighWater()
        try await target.reserveIdentifiers(below: report.highWater)
        for table in ShopTable.allCases { try await copy(table) }
        try await target.copyAudit(of: source)
        let snapshots = try await source.snapshots()
        for snapshot in snapshots {
            for table in ShopTable.allCases { try await copy(table, of: snapshot) }
        }
        for table in ShopTable.allCases {
            report.parts.append((table.rawValue, try await compare(table, of: nil)))
        }
        for snapshot in snapshots {
            for table in ShopTable.allCases {
                let sum = try await compare(table, of: snapshot.name)
                report.parts.append(("\(snapshot.name)/\(table.rawValue)", sum))
            }
        }
        report.snapshots = snapshots.map(\.name)
        guard try await target.snapshots() == snapshots else { throw MigrationRefused.differs("snapshots", nil, nil) }
        try await finish(target)
        try await target.removeDocument(.shop, name: Self.mark)
        return report
    }

    // MARK: The target

    /// The name of the document that marks a store as unfinished.
    static let mark = "migration"

    /// Requires an empty target, or removes the rows that an interrupted attempt left there.
    private func prepareTarget() async throws {
        if try await target.unfinished != nil {
            try await target.erase(app: nil, documents: Set(DocumentKind.allCases))
            // `erase` keeps documents of these kinds, so they are removed here. The mark stays until the copy is
            // complete.
            for kind in DocumentKind.lasting {
                for document in try await target.documents(kind) where document.name != Self.mark {
                    try await target.removeDocument(kind, name: document.name)
                }
            }
            for snapshot in try await target.snapshots() { try await target.remove(snapshot: snapshot.name) }
            return
        }
        for table in ShopTable.allCases where !(try await target.rows(of: table, after: nil, limit: 1)).isEmpty {
            throw MigrationRefused.occupied(table)
        }
        guard try await target.snapshots().isEmpty else { throw MigrationRefused.occupied(nil) }
        try await target.declareUnfinished(by: command)
    }

    // MARK: Rows

    private func copy(_ table: ShopTable) async throws {
        var count = 0
        var last: TableRow?
        repeat {
            let page = try await source.rows(of: table, after: last, limit: table.pageLength)
            if !page.isEmpty { try await target.add(page, to: table) }
            count += page.count
            last = page.last
            note(Progress(step: .carried, part: table.rawValue, rows: count, isWhole: last == nil))
        } while last != nil
    }

    private func copy(_ table: ShopTable, of snapshot: Snapshot) async throws {
        var count = 0
        var last: Int64?
        repeat {
            let page = try await source.rows(of: table, in: snapshot.name, after: last, limit: table.pageLength)
            // Called even for an empty page, because a snapshot without rows must also exist in the target.
            try await target.add(page.map(\.row), of: table, to: snapshot)
            count += page.count
            last = page.last?.place
            let part = "\(snapshot.name)/\(table.rawValue)"
            note(Progress(step: .carried, part: part, rows: count, isWhole: last == nil))
        } while last != nil
    }

    // MARK: Comparison

    private func compare(_ table: ShopTable, of snapshot: String?) async throws -> TableChecksum {
        let part = TableChecksum.name(of: table, in: snapshot)
        async let there = TableChecksum.sum(table, of: snapshot, in: target)
        let here = try await TableChecksum.sum(table, of: snapshot, in: source) { count in
            note(Progress(step: .checked, part: part, rows: count, isWhole: false))
        }
        let found = try await there
        guard here == found else { throw MigrationRefused.differs(part, here.rows, found.rows) }
        note(Progress(step: .checked, part: part, rows: here.rows, isWhole: true))
        return here
    }
}

extension TableRow {
    var isMark: Bool {
        self["kind", of: .documents] == .text(DocumentKind.shop.rawValue)
            && self["name", of: .documents] == .text(StoreMigration.mark)
    }
}

extension Storage {
    /// Marks this store as unfinished, so that the next attempt erases it first.
    func declareUnfinished(by command: CarryingCommand) async throws {
        try await put([try Document(kind: .shop, name: StoreMigration.mark, encoding: command)])
    }

    /// - Throws: `MigrationRefused.atWork` while servers use this database.
    func requireNoServer() async throws {
        guard let shared = self as? any SharedStorage else { return }
        let nodes = try await shared.seen().keys.sorted()
        if !nodes.isEmpty { throw MigrationRefused.atWork(nodes) }
    }

    /// The interrupted command that left this store incomplete; nil for a complete store.
    package var unfinished: CarryingCommand? {
        get async throws {
            let mark = try await documents(.shop).first { $0.name == StoreMigration.mark }
            return mark.map { (try? $0.decoded(as: CarryingCommand.self)) ?? .migrate }
        }
    }

    /// - Throws: `MigrationRefused.unfinished` for an incomplete store.
    package func requireWhole() async throws {
        if let command = try await unfinished { throw MigrationRefused.unfinished(command) }
    }
}

/// The command that copies all data from one store to another.
package enum CarryingCommand: String, Codable, Sendable {
    case migrate
    case restore
}

/// Why data cannot be migrated, or why a store cannot be used.
package enum MigrationRefused: Error, CustomStringConvertible {
    case unfinished(CarryingCommand)
    case atWork([String])
    case occupied(ShopTable?)
    case differs(String, Int?, Int?)

    package var description: String {
        switch self {
        case .unfinished(.migrate):
            "A migration to this store (till migrate) was interrupted. Run it again."
        case .unfinished(.restore):
            "A restore to this store (till restore) was interrupted. Run it again, with "
                + "--replace."
        case .atWork(let nodes):
            "Servers use the database (\(nodes.joined(separator: ", "))). Stop them. A server that was killed counts "
                + "as running until its lease expires."
        case .occupied(let table):
            "The target is not empty (\(table?.rawValue ?? "snapshots")). Give an empty one; nothing was changed."
        case .differs(let part, let source, let target):
            "The copy differs in \(part)"
                + (source.flatMap { source in target.map { ": \(source) rows in source, \($0) in target" } } ?? "")
                + ". Stop all servers that use these stores, and run it again. Until then, servers refuse the target."
        }
    }
}
