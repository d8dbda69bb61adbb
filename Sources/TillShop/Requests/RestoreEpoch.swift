import TillStorage

/// The restore epochs of a database. A restore undoes changes, and later changes get the same change numbers again. A
/// position in a history is therefore valid only within one epoch of its app. A restore begins a new epoch of the app
/// that it restores, or of all apps, and a client with a cursor from an earlier epoch starts again at the beginning of
/// the history.
struct RestoreEpoch: Sendable {
    /// The name of the document with the epoch of the whole database. Snapshots do not include this document.
    private static let name = "lineage"
    /// The names of the documents with the epochs of single apps begin with this.
    private static let prefix = "lineage/"

    /// The numbers by the names of the documents.
    private let numbers: [String: Int64]

    /// Reads the epochs from the database; the first epoch is 0.
    static func read(_ storage: any Storage) async throws -> RestoreEpoch {
        let documents = try await storage.documents(.shop).filter { $0.name == name || $0.name.hasPrefix(prefix) }
        let numbers = try documents.map { ($0.name, try $0.decoded(as: Int64.self)) }
        return RestoreEpoch(numbers: Dictionary(numbers) { first, _ in first })
    }

    /// The epoch of an app. It changes with the number of the database and with that of the app.
    func value(of app: String) -> Int64 { numbers[Self.name, default: 0] ^ numbers[Self.prefix + app, default: 0] }

    /// Begins a new epoch of an app, or of all apps if it is nil, with a random number. If someone restores the same
    /// backup twice, the two epochs differ, as do the changes after each restore.
    static func beginAnother(of app: String?, in storage: any Storage) async throws {
        let name = app.map { prefix + $0 } ?? name
        try await storage.put([try Document(kind: .shop, name: name, encoding: Int64.random(in: 1...Int64.max))])
    }

    /// Removes the number of an app that is deleted. A later restore of the app begins a new epoch.
    static func forget(_ app: String, in storage: any Storage) async throws {
        try await storage.removeDocument(.shop, name: prefix + app)
    }
}
