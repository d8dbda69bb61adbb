import Synchronization

/// A value protected by a lock.
package final class Synchronized<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    /// Creates the lock with an initial value.
    package init(_ value: Value) { state = Mutex(value) }

    /// The current value. Each read and each write locks separately.
    package var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
