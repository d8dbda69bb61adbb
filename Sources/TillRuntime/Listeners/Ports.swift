import Synchronization

/// The ports on which the server listens. A port is added when its listener opens it.
package final class Ports: Sendable {
    private let expected: Set<ListenerKind>
    private let ports = Mutex<[ListenerKind: Int]>([:])

    /// - Parameter expected: the listeners that this server has.
    init(_ expected: Set<ListenerKind>) {
        self.expected = expected
    }

    /// The port of a listener; 0 while it does not listen yet.
    package subscript(_ listener: ListenerKind) -> Int { ports.withLock { $0[listener] ?? 0 } }

    /// Whether every listener has its port.
    package var areOpen: Bool { ports.withLock { $0.count == expected.count } }

    /// Records the port of a listener.
    ///
    /// - Returns: whether every listener now has its port.
    func set(_ listener: ListenerKind, _ port: Int) -> Bool {
        ports.withLock { ports in
            ports[listener] = port
            return ports.count == expected.count
        }
    }
}
