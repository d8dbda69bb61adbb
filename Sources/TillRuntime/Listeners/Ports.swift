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

/// The kinds of listeners that a server can have.
package enum ListenerKind: String, CaseIterable, Sendable {
    /// The App Store Server API of the production environment.
    case production
    /// The App Store Server API of the sandbox environment.
    case sandbox
    /// The control API and the console.
    case control
    /// TLS for both environments, under the App Store's host names.
    case tls
    /// The HTTP CONNECT proxy to the TLS port.
    case proxy

    /// The flag of `till serve` that sets the port.
    var flag: String { "--\(rawValue)-port" }

    /// The flag of `till serve` that sets the address.
    var hostFlag: String {
        switch self {
        case .production, .sandbox: "--host"
        case .control: "--control-address"
        case .tls, .proxy: "--tls-host"
        }
    }
}
