import Foundation
import TillShop

/// A temporary data directory, in memory if the system has a folder in memory.
struct EphemeralDirectory {
    let directory: DataDirectory

    private static let prefix = "till-ephemeral-"
    /// The minimum free space in shared memory, in bytes. A container may have too little for a data directory.
    private static let minFreeSpace: UInt64 = 256 << 20

    /// Creates a directory, and removes the directories that killed processes left behind.
    static func make() throws -> EphemeralDirectory {
        let place = place()
        sweep(place)
        let process = ProcessInfo.processInfo.processIdentifier
        let path = "\(place)/\(prefix)\(process)-\(UUID().uuidString.prefix(8).lowercased())"
        try DataDirectory.makeFolder(path)
        return EphemeralDirectory(directory: DataDirectory(path))
    }

    /// Removes the directory.
    func remove() { try? FileManager.default.removeItem(atPath: directory.path) }

    #if os(Linux)
    /// Returns shared memory if it is large enough, otherwise the folder for temporary files.
    private static func place() -> String {
        let memory = "/dev/shm"
        let room = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? NSNumber
        let fits = (room?.uint64Value ?? 0) >= minFreeSpace && FileManager.default.isWritableFile(atPath: memory)
        return fits ? memory : temporary
    }
    #else
    /// Returns the folder for temporary files, because this system has no folder in memory.
    private static func place() -> String { temporary }
    #endif

    private static var temporary: String { URL(fileURLWithPath: NSTemporaryDirectory()).standardizedFileURL.path }

    /// Whether no process uses a folder anymore. Neither the process id nor the lock is sufficient, so both are
    /// checked. A container that shares the memory has its own process ids, and a killed process may still be listed.
    /// The lock ends with its process, but a process that is just starting has not locked its folder yet.
    private static func isLeft(_ folder: String, by process: Int32) -> Bool {
        // Signal 0 checks whether the process exists, and sends nothing.
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
