import CPostgres
import Synchronization

/// Cancels a statement from another thread, with a separate connection to the server.
final class CancelHandle: Sendable {
    /// The address of libpq's object, which is used only under the lock.
    private let address: Mutex<UInt>

    /// - Parameter connection: The connection. This initializer must run on the connection's own thread.
    init(of connection: OpaquePointer) {
        address = Mutex(UInt(bitPattern: PQgetCancel(connection)))
    }

    deinit { address.withLock { PQfreeCancel(OpaquePointer(bitPattern: $0)) } }

    /// Asks the server to cancel the current statement of the connection. This blocks, so never call it on a thread
    /// that other work needs.
    func send() {
        address.withLock { address in
            guard let handle = OpaquePointer(bitPattern: address) else { return }
            _ = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) {
                PQcancel(handle, $0.baseAddress, Int32($0.count))
            }
        }
    }
}
