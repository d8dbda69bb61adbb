import Foundation
import Synchronization
import TillStorage

/// Monitors whether there is enough disk space for a purchase. After a commit failed because the disk was full, the
/// answer is no until a write succeeds.
package final class DiskSpaceMonitor: Sendable {
    private let isFull = Mutex(false)
    /// The minimum number of free bytes on the disk of the embedded engine. It is more than a group of commits writes.
    static let leastFree: UInt64 = 1 << 20

    /// Creates a monitor that assumes enough space until a commit fails.
    package init() {}

    /// Records the results of commits.
    func note(_ results: [Result<Void, CommitFailure>]) {
        for result in results {
            switch result {
            case .success: set(false)
            case .failure(.diskFull): set(true)
            case .failure: continue
            }
        }
    }

    /// Records an error that occurred outside of a commit.
    func note(_ error: any Error) { if error.isFullDisk { set(true) } }

    private func set(_ value: Bool) {
        isFull.withLock { if $0 != value { $0 = value } }
    }

    /// Whether a purchase could be written now. The check reads the free space of the file system. It writes a test
    /// only if the last commit failed because the disk was full.
    ///
    /// - Parameters:
    ///   - free: the free bytes on the disk; nil if unknown.
    ///   - write: writes as much data as a purchase.
    /// - Throws: the error of `write`, unless the error is a full disk.
    func hasDiskSpace(free: UInt64?, write: () async throws -> Void) async throws -> Bool {
        if let free, free < Self.leastFree { return false }
        guard isFull.withLock({ $0 }) else { return true }
        do {
            try await write()
            set(false)
            return true
        } catch {
            if error.isFullDisk { return false }
            throw error
        }
    }

    /// The number of bytes that this process can still write to the disk of a folder; nil if unknown.
    static func free(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}

extension Shop {
    /// Whether a purchase could be committed now.
    ///
    /// - Parameter folder: the folder in which the embedded engine writes; nil for a server that stores nothing on
    ///   disk.
    /// - Returns: false if the disk is full.
    /// - Throws: the error of the engine, if the database does not answer.
    package func hasDiskSpace(in folder: String?) async throws -> Bool {
        try await storage.ping()
        let isEmbedded = !(storage is any SharedStorage)
        return try await transactor.commits.room.hasDiskSpace(
            free: isEmbedded ? folder.flatMap(DiskSpaceMonitor.free) : nil
        ) {
            let body = "\"" + String(repeating: "0", count: 1 << 16) + "\""
            try await storage.put([Document(kind: .shop, name: Self.roomProbe, body: body)])
            try await storage.removeDocument(.shop, name: Self.roomProbe)
        }
    }

    /// The name of the document that is written to test the disk and then deleted.
    private static let roomProbe = "room\(UUID().uuidString.prefix(8).lowercased())"
}
