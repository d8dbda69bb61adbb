import TillStorage

/// The restore epoch of a database. A restore undoes changes, and later changes get the same change numbers again.
/// A position in a history is therefore valid only within one epoch. Every restore begins a new epoch, and a client
/// with a cursor from an earlier epoch starts again at the beginning of the history.
enum RestoreEpoch {
    /// The name of the document with the epoch. Snapshots do not include this document.
    private static let name = "lineage"

    /// Reads the epoch from the database; the first epoch is 0.
    static func read(_ storage: any Storage) async throws -> Int64 {
        let document = try await storage.documents(.shop).first { $0.name == name }
        return try document?.decoded(as: Int64.self) ?? 0
    }

    /// Begins a new epoch with a random number. If someone restores the same backup twice, the two epochs differ, as
    /// do the changes after each restore.
    static func beginAnother(in storage: any Storage) async throws {
        try await storage.put([try Document(kind: .shop, name: name, encoding: Int64.random(in: 1...Int64.max))])
    }
}
