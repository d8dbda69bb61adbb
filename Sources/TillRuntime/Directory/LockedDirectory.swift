import Synchronization
import TillShop

/// The data directory of a running server. It is locked while the server runs, and removed at the end if it is
/// ephemeral.
final class LockedDirectory: Sendable {
    let directory: DataDirectory
    private let ephemeral: EphemeralDirectory?
    private let lock: Mutex<DirectoryLock?>

    /// Locks or creates the directory. An existing directory is locked before the ports are checked, so that a second
    /// server is refused because of the directory, not the ports. A new directory is created after that check, so that
    /// a refused start leaves nothing behind.
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

    /// Unlocks the directory, and removes it if it is ephemeral.
    func release() {
        ephemeral?.remove()
        lock.withLock { $0 = nil }
    }

    deinit { release() }
}
