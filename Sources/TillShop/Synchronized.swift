import Synchronization

/// A value that several may read and set, one at a time.
package final class Synchronized<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    /// A value to begin with.
    package init(_ value: Value) { state = Mutex(value) }

    /// The value as it is now.
    package var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
