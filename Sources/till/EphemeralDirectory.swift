import Foundation
import TillShop

/// A data directory in memory, for a Till that keeps nothing once it stops.
struct EphemeralDirectory {
    let directory: DataDirectory

    private static let prefix = "till-ephemeral-"
    /// A container's shared memory may be too small to hold a shop.
    private static let leastRoom: UInt64 = 256 << 20

    /// Makes one, and clears away what a Till left behind that was killed.
    static func make() throws -> EphemeralDirectory {
        let place = place()
        sweep(place)
        let process = ProcessInfo.processInfo.processIdentifier
        let path = "\(place)/\(prefix)\(process)-\(UUID().uuidString.prefix(8).lowercased())"
        try DataDirectory.makeFolder(path)
        return EphemeralDirectory(directory: DataDirectory(path))
    }

    /// Nothing is kept.
    func remove() { try? FileManager.default.removeItem(atPath: directory.path) }

    /// Shared memory where there is enough of it, else the folder for temporary files.
    private static func place() -> String {
        let memory = "/dev/shm"
        let room = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? NSNumber
        let fits = (room?.uint64Value ?? 0) >= leastRoom && FileManager.default.isWritableFile(atPath: memory)
        if fits { return memory }
        return URL(fileURLWithPath: NSTemporaryDirectory()).standardizedFileURL.path
    }

    private static func sweep(_ place: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.hasPrefix(prefix) {
            guard let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ Int32($0) }) else {
                continue
            }
            // 0 asks whether the process is there, and sends nothing.
            guard kill(process, 0) != 0, errno == ESRCH else { continue }
            clear(DataDirectory("\(place)/\(name)"))
        }
    }

    /// Removes a directory in which nobody works. Containers that share memory number their processes apart, so only
    /// the lock tells; who has just begun may not have it yet.
    private static func clear(_ directory: DataDirectory) {
        let made = try? FileManager.default.attributesOfItem(atPath: directory.path)[.modificationDate] as? Date
        let isOld = made.map { $0.timeIntervalSinceNow < -10 } ?? false
        guard isOld || FileManager.default.fileExists(atPath: directory.lockFile),
            let lock = try? DirectoryLock(directory)
        else { return }
        withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: directory.path) }
    }
}
