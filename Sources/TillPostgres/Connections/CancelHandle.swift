import CPostgres
import Synchronization

/// Cancels a statement from another thread, over a separate connection to the server.
final class CancelHandle: Sendable {
    /// The address of libpq's object, used only under the lock.
    private let address: Mutex<UInt>

    /// - Parameter connection: must be used on its own thread here.
    init(of connection: OpaquePointer) {
        address = Mutex(UInt(bitPattern: PQgetCancel(connection)))
    }

    deinit { address.withLock { PQfreeCancel(OpaquePointer(bitPattern: $0)) } }

    /// Asks the server to cancel what the connection is doing. Blocks: never call it on a thread that others need.
    func send() {
        address.withLock { address in
            guard let handle = OpaquePointer(bitPattern: address) else { return }
            _ = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) {
                PQcancel(handle, $0.baseAddress, Int32($0.count))
            }
        }
    }
}
