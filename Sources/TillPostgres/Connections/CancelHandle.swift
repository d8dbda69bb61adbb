import CPostgres
import Synchronization

/// What ends a statement from another thread. The server is asked over a connection of its own.
final class CancelHandle: Sendable {
    /// The address of libpq's object; nobody but the holder of the lock looks behind it.
    private let address: Mutex<UInt>

    /// - Parameter connection: asked for its object on the connection's own thread.
    init(of connection: OpaquePointer) {
        address = Mutex(UInt(bitPattern: PQgetCancel(connection)))
    }

    deinit { address.withLock { PQfreeCancel(OpaquePointer(bitPattern: $0)) } }

    /// Asks the server to end what the connection is doing. Blocks: never call it where others wait.
    func send() {
        address.withLock { address in
            guard let handle = OpaquePointer(bitPattern: address) else { return }
            _ = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) {
                PQcancel(handle, $0.baseAddress, Int32($0.count))
            }
        }
    }
}
