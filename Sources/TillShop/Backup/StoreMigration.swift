import TillCore
import TillStorage

/// Carries a shop from one store to another, row by row, and then reads both to see that they hold the same.
///
/// The source is only read. A target that is not finished bears a mark, by which a server refuses it and the next
/// attempt begins anew. The request log stays behind.
package struct StoreMigration: Sendable {
    private let source: any Storage
    private let target: any Storage
    private let command: CarryingCommand
    private let note: @Sendable (Progress) -> Void

    /// How far it has come.
    package struct Progress: Sendable {
        /// What is done with the rows.
        package enum Step: String, Sendable {
            case carried
            case checked
        }

        /// What is done with the rows.
        package let step: Step
        /// A table, or a table of a snapshot.
        package let part: String
        /// How many rows of it so far.
        package let rows: Int
        /// Whether these are all.
        package let isWhole: Bool
    }

    /// What was carried, and found to be the same on both sides.
    package struct Report: Sendable {
        /// In the order in which they were carried; then those of the snapshots.
        package internal(set) var parts: [(name: String, sum: TableChecksum)] = []
        /// The names of the snapshots.
        package internal(set) var snapshots: [String] = []
        /// The first identifier, counted, that the target may hand out.
        package internal(set) var highWater: Int64 = 0
    }

    /// Nobody else may be at work on either.
    ///
    /// - Parameters:
    ///   - command: what a target says was broken off, until it is whole.
    ///   - note: told of each page.
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

    /// Carries everything and compares it.
    ///
    /// - Parameter finish: the last steps in the target, before anybody may use it.
    /// - Throws: `MigrationRefused`, and what the engines throw.
    package func run(finishing finish: (any Storage) async throws -> Void = { _ in }) async throws -> Report {
        try await source.requireWhole()
        for store in [source, target] { try await store.requireNoServer() }
        try await prepareTarget()
        var report = Report()
        report.highWater = try await source.identifierHighWater()
        try await target.reserveIdentifiers(below: report.highWater)
        for table in ShopTable.allCases { try await carry(table) }
        let snapshots = try await source.snapshots()
        for snapshot in snapshots {
            for table in ShopTable.allCases { try await carry(table, of: snapshot) }
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

    /// The document of a store to which a shop is still being carried.
    static let mark = "migration"

    /// A target holds nothing, or only what an attempt that was broken off left.
    private func prepareTarget() async throws {
        if try await target.unfinished != nil {
            try await target.erase(app: nil, documents: Set(DocumentKind.allCases))
            // What an erased shop keeps goes too; the mark goes last of all, when everything is there.
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

    private func carry(_ table: ShopTable) async throws {
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

    private func carry(_ table: ShopTable, of snapshot: Snapshot) async throws {
        var count = 0
        var last: Int64?
        repeat {
            let page = try await source.rows(of: table, in: snapshot.name, after: last, limit: table.pageLength)
            // A snapshot without rows is one, too.
            try await target.add(page.map(\.row), of: table, to: snapshot)
            count += page.count
            last = page.last?.place
            let part = "\(snapshot.name)/\(table.rawValue)"
            note(Progress(step: .carried, part: part, rows: count, isWhole: last == nil))
        } while last != nil
    }

    // MARK: Both sides

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
    /// Gives up what is here: what comes next begins by erasing it.
    func declareUnfinished(by command: CarryingCommand) async throws {
        try await put([try Document(kind: .shop, name: StoreMigration.mark, encoding: command)])
    }

    /// - Throws: `MigrationRefused.atWork` while servers work on a database.
    func requireNoServer() async throws {
        guard let shared = self as? any SharedStorage else { return }
        let nodes = try await shared.seen().keys.sorted()
        if !nodes.isEmpty { throw MigrationRefused.atWork(nodes) }
    }

    /// What was carrying a shop here and was broken off; nil where what is here is whole.
    package var unfinished: CarryingCommand? {
        get async throws {
            let mark = try await documents(.shop).first { $0.name == StoreMigration.mark }
            return mark.map { (try? $0.decoded(as: CarryingCommand.self)) ?? .migrate }
        }
    }

    /// - Throws: `MigrationRefused.unfinished` where a shop was being carried and is not whole.
    package func requireWhole() async throws {
        if let command = try await unfinished { throw MigrationRefused.unfinished(command) }
    }
}

/// What carries a shop from one store to another.
package enum CarryingCommand: String, Codable, Sendable {
    case migrate
    case restore
}

/// Why a shop is not carried, or cannot be used where it was carried to.
package enum MigrationRefused: Error, CustomStringConvertible {
    case unfinished(CarryingCommand)
    case atWork([String])
    case occupied(ShopTable?)
    case differs(String, Int?, Int?)

    package var description: String {
        switch self {
        case .unfinished(.migrate):
            "A shop was being carried to this store with till migrate and is not whole. Carry it once more."
        case .unfinished(.restore):
            "A backup was being put back here with till restore and is not whole. Put it back once more, with "
                + "--replace."
        case .atWork(let nodes):
            "Servers work on the database (\(nodes.joined(separator: ", "))). Stop them; one that was killed counts "
                + "until its lease ends."
        case .occupied(let table):
            "The target holds something (\(table?.rawValue ?? "snapshots")). Name an empty one; nothing was changed."
        case .differs(let part, let source, let target):
            "What was carried differs in \(part)"
                + (source.flatMap { source in target.map { ": \(source) rows here, \($0) there" } } ?? "")
                + ". Stop every server on both sides and carry it once more; the target is refused until then."
        }
    }
}
