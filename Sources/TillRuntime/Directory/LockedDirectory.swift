import Synchronization
import TillShop

/// The data directory of a server while it runs: locked, and removed at the end if it is ephemeral.
final class LockedDirectory: Sendable {
    let directory: DataDirectory
    private let ephemeral: EphemeralDirectory?
    private let lock: Mutex<DirectoryLock?>

    /// An existing directory is locked before the ports are checked, so that a second server on it learns the reason.
    /// A new one is created after that check, so that a refused start leaves nothing behind.
    init(_ configuration: RuntimeConfiguration) throws {
        var lock = try configuration.directory.flatMap { try DirectoryLock(ofExisting: $0) }
        try configuration.requirePorts()
        if let named = configuration.directory {
            ephemeral = nil
            directory = named
        } else {
            let made = try EphemeralDirectory.make()
            ephemeral = made
            directory = made.directory
        }
        do {
            if lock == nil { lock = try DirectoryLock(directory) }
            try directory.prepare()
        } catch {
            ephemeral?.remove()
            throw error
        }
        self.lock = Mutex(lock)
    }

    /// Ends the server's hold on the directory.
    func release() {
        ephemeral?.remove()
        lock.withLock { $0 = nil }
    }

    deinit { release() }
}
