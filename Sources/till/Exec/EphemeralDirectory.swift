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

    /// Whether nobody works in the folder. A process's number alone does not tell: a container that shares the memory
    /// has numbers of its own, and a process that was killed may still be listed. The lock ends with the process; but
    /// who starts at this moment has not taken it yet.
    private static func isLeft(_ folder: String, by process: Int32) -> Bool {
        // 0 asks whether the process is there, and sends nothing.
        let isGone = kill(process, 0) != 0 && errno == ESRCH
        let made = try? FileManager.default.attributesOfItem(atPath: folder)[.modificationDate] as? Date
        let isOld = (made?.timeIntervalSinceNow ?? 0) < -60
        let lock = open(DataDirectory(folder).lockFile, O_RDWR | O_CLOEXEC)
        guard lock >= 0 else { return isGone && isOld }
        defer { close(lock) }
        return flock(lock, LOCK_EX | LOCK_NB) == 0 && (isGone || isOld)
    }

    private static func sweep(_ place: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.hasPrefix(prefix) {
            guard let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ Int32($0) }) else {
                continue
            }
            if isLeft("\(place)/\(name)", by: process) {
                try? FileManager.default.removeItem(atPath: "\(place)/\(name)")
            }
        }
    }
}
