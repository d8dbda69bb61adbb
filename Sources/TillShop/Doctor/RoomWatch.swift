import Foundation
import Synchronization
import TillStorage

/// Whether there is room for what a purchase writes. A commit that failed for lack of room says that there is none,
/// until something could be written again.
package final class RoomWatch: Sendable {
    private let isFull = Mutex(false)
    /// Bytes that must be free on the disk of the embedded engine: more than a group of commits writes at once.
    static let leastFree: UInt64 = 1 << 20

    /// There is room until a commit says otherwise.
    package init() {}

    /// Notes what came of a commit.
    func note(_ results: [Result<Void, CommitFailure>]) {
        for result in results {
            switch result {
            case .success: set(false)
            case .failure(.noRoom): set(true)
            case .failure: continue
            }
        }
    }

    /// Notes an error from elsewhere than a commit.
    func note(_ error: any Error) { if error.isFullDisk { set(true) } }

    private func set(_ value: Bool) {
        isFull.withLock { if $0 != value { $0 = value } }
    }

    /// Whether a purchase could be written now. Costs a look at the file system; only where the last commit failed for
    /// lack of room, something is written to find out whether there is room again.
    ///
    /// - Parameters:
    ///   - free: the bytes that are free on the disk; nil where nobody can tell.
    ///   - write: writes as much as a purchase does.
    /// - Throws: what `write` throws, unless it is that there is no room.
    func hasRoom(free: UInt64?, write: () async throws -> Void) async throws -> Bool {
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

    /// The bytes that a process may still write on the disk of a folder; nil when the system does not say.
    static func free(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}

extension Shop {
    /// Whether a purchase could be committed now.
    ///
    /// - Parameter folder: where the embedded engine writes; nil for a server that keeps nothing on disk.
    /// - Returns: false when there is no room.
    /// - Throws: what the engine says when it does not answer.
    package func hasRoom(in folder: String?) async throws -> Bool {
        try await storage.ping()
        let isEmbedded = !(storage is any SharedStorage)
        return try await room.hasRoom(free: isEmbedded ? folder.flatMap(RoomWatch.free) : nil) {
            let body = "\"" + String(repeating: "0", count: 1 << 16) + "\""
            try await storage.put([Document(kind: .shop, name: Self.roomProbe, body: body)])
            try await storage.removeDocument(.shop, name: Self.roomProbe)
        }
    }

    /// The document that is written to find out whether there is room, and removed at once.
    private static let roomProbe = "room\(UUID().uuidString.prefix(8).lowercased())"
}
