import Synchronization

/// The chosen ports, as they become known.
final class Ports: Sendable {
    enum Face: String, CaseIterable, Sendable {
        case production
        case sandbox
        case control
        case tls
        case proxy

        static let always: [Face] = [.production, .sandbox, .control]
    }

    private let expected: Set<Face>
    private let ports = Mutex<[Face: Int]>([:])

    /// - Parameter expected: the listeners of this server.
    init(_ expected: Set<Face>) {
        self.expected = expected
    }

    subscript(_ face: Face) -> Int { ports.withLock { $0[face] ?? 0 } }

    /// Whether every port is known.
    var areOpen: Bool { ports.withLock { $0.count == expected.count } }

    /// Returns whether this was the last one.
    func set(_ face: Face, _ port: Int) -> Bool {
        ports.withLock { ports in
            ports[face] = port
            return ports.count == expected.count
        }
    }
}
