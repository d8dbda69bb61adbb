import Foundation

/// What a `Reconciler` looks through.
public enum ReconcilerSource: Hashable, Sendable, CustomStringConvertible {
    /// The notification history of the app.
    case notifications
    /// The transaction history of a customer, by any transaction id.
    case customer(String)

    /// A text that is different for each source: a key for a table of positions.
    public var description: String {
        switch self {
        case .notifications: "notifications"
        case .customer(let id): "customer \(id)"
        }
    }
}

/// What a `Reconciler` found on one page, with the position that must be stored together with it.
public struct ReconcilerBatch: Sendable {
    /// Where it was found.
    public let source: ReconcilerSource
    /// New notifications, in the order of the history. None for a customer.
    public let notifications: [NotificationHistoryResponseItem]
    /// New and changed transactions of a customer, in the order of their changes. None for notifications.
    public let transactions: [SignedTransaction]
    /// The server that answered.
    public let server: ServerAddress
    /// The position in the source after this batch.
    public let position: String
}

/// Stores how far a `Reconciler` got.
///
/// A store that applies a batch and stores its position in one database transaction gets everything exactly once, even
/// if the process is killed.
public protocol ReconcilerStore: Sendable {
    /// The position of the last batch of a source; nil before the first.
    func position(of source: ReconcilerSource) async throws -> String?
    /// Applies a batch, which may be empty, and stores its position.
    func commit(_ batch: ReconcilerBatch) async throws
}

/// A store that hands each batch to a function and then writes its position to a file.
///
/// The file is replaced as a whole. If the process is killed between the two steps, the batch is handed over again. To
/// have each effect once, the function writes a `notificationUUID` together with its effect and skips one that it has
/// seen, and stores a transaction in place of what it had under the same `transactionId`.
public actor FileReconcilerStore: ReconcilerStore {
    private let file: URL
    private let apply: @Sendable (ReconcilerBatch) async throws -> Void
    private var positions: [String: String] = [:]

    /// A store in a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which need not exist. Only one store may use it.
    ///   - apply: gets each batch. If it throws, the position stays as it was.
    /// - Throws: `InvalidFile` if the file exists but is not one of this store.
    public init(path: String, apply: @escaping @Sendable (ReconcilerBatch) async throws -> Void) throws(InvalidFile) {
        (file, self.apply) = (URL(filePath: path), apply)
        guard FileManager.default.fileExists(atPath: path) else { return }
        let data = try InvalidFile.read(path)
        do {
            positions = try JSONDecoder().decode([String: String].self, from: data)
        } catch {
            throw InvalidFile(
                path: path,
                message: "It has no positions of a reconciler. Restore it from a backup; or remove it, and everything "
                    + "since the beginning is handed over again."
            )
        }
    }

    /// The position in the file.
    public func position(of source: ReconcilerSource) -> String? { positions[source.description] }

    /// Hands the batch over, and writes the file.
    public func commit(_ batch: ReconcilerBatch) async throws {
        try await apply(batch)
        positions[batch.source.description] = batch.position
        try JSONEncoder().encode(positions).write(to: file, options: .atomic)
    }
}
