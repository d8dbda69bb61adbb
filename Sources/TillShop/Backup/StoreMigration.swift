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
    private let note: @Sendable (StoreProgress) -> Void

    /// The result of a migration: the tables and snapshots, which are equal in both stores.
    package struct Report: Sendable {
        /// The tables in the order in which they were copied, followed by the tables of the snapshots.
        package let parts: [TableChecksum]
        /// The names of the snapshots.
        package let snapshots: [String]
        /// The counter of the first identifier that the target may assign.
        package let highWater: Int64
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
        noting note: @escaping @Sendable (StoreProgress) -> Void = { _ in }
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
        try await Self.requireSource(source)
        try await target.requireNoServer()
        try await prepareTarget()
        _ = try await source.copy(to: target, noting: note)
        // The source is read again, because a server may have changed it in the meantime.
        async let found = target.checksums()
        let parts = try await source.checksums(noting: note)
        for (part, found) in zip(parts, try await found) where part != found {
            throw MigrationRefused.differs(part.name, part.rows, found.rows)
        }
        let snapshots = try await source.snapshots()
        guard try await target.snapshots() == snapshots else { throw MigrationRefused.differs("snapshots", nil, nil) }
        try await finish(target)
        try await target.removeDocument(.shop, name: Self.mark)
        return Report(
            parts: parts,
            snapshots: snapshots.map(\.name),
            highWater: try await source.identifierHighWater()
        )
    }

    /// Checks that a store can be migrated, before anything is created in the target.
    ///
    /// - Throws: `MigrationRefused` for an incomplete store, or for a store that servers use.
    package static func requireSource(_ source: any Storage) async throws {
        try await source.requireWhole()
        try await source.requireNoServer()
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
