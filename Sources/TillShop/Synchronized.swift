import Synchronization

/// A value protected by a lock.
package final class Synchronized<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    /// A value to start with.
    package init(_ value: Value) { state = Mutex(value) }

    /// The present value.
    package var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
