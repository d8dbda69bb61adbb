import Synchronization

/// The chosen ports, as they become known.
package final class Ports: Sendable {
    private let expected: Set<ListenerKind>
    private let ports = Mutex<[ListenerKind: Int]>([:])

    /// - Parameter expected: the listeners of this server.
    init(_ expected: Set<ListenerKind>) {
        self.expected = expected
    }

    /// The port of a listener; 0 until it listens.
    package subscript(_ listener: ListenerKind) -> Int { ports.withLock { $0[listener] ?? 0 } }

    /// Whether every port is known.
    package var areOpen: Bool { ports.withLock { $0.count == expected.count } }

    /// Returns whether this was the last one.
    func set(_ listener: ListenerKind, _ port: Int) -> Bool {
        ports.withLock { ports in
            ports[listener] = port
            return ports.count == expected.count
        }
    }
}
