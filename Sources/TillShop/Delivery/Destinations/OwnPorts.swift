import Foundation
import NIOCore
import Synchronization

/// The ports on which Till listens: those of this server, and those of the other nodes of its database.
///
/// Each node writes its own beside its row in the nodes table, as the body of a lease that ends with the row. A port
/// that NAT, a container or a load balancer shows under another address is unknown here; `DeliveryHeader` protects
/// those.
package final class OwnPorts: Sendable {
    /// A port that is open.
    package struct OpenPort: Codable, Hashable, Sendable {
        /// The address that the socket is bound to.
        let address: String
        /// The number of the port.
        let port: Int
    }

    /// What a node tells the others.
    package struct Publication: Codable, Equatable, Sendable {
        /// The machine, or the network namespace of it, in which loopback addresses are the node's.
        let machine: String
        /// What is open, as bound.
        let bound: [OpenPort]
        /// What is open, by the addresses under which other machines reach it.
        let reachable: [OpenPort]
    }

    private let ports = Mutex<Set<OpenPort>>([])
    private let isComplete = Mutex(false)
    private let others: @Sendable () -> [Publication]
    private let interfaces: @Sendable () -> Set<IPAddress>
    private let machine: String

    /// - Parameters:
    ///   - others: what the other nodes published.
    ///   - interfaces: the addresses of this machine.
    ///   - machine: names this machine, or its network namespace.
    package init(
        others: @escaping @Sendable () -> [Publication] = { [] },
        interfaces: @escaping @Sendable () -> Set<IPAddress> = OwnPorts.interfaceAddresses,
        machine: String = OwnPorts.thisMachine
    ) {
        self.others = others
        self.interfaces = interfaces
        self.machine = machine
    }

    /// Notes a port that was opened.
    ///
    /// - Parameter host: the address or the name that the socket was bound to.
    package func add(host: String, port: Int) {
        let found = IPAddress(host) == nil ? try? SocketAddress.makeAddressResolvingHost(host, port: port) : nil
        guard let bound = IPAddress(host) ?? found.flatMap(IPAddress.init) else { return }
        ports.withLock { _ = $0.insert(OpenPort(address: bound.description, port: port)) }
    }

    /// All ports are open: the other nodes can be told.
    package func complete() { isComplete.withLock { $0 = true } }

    /// What the other nodes are told; nil until all ports are open.
    var publication: Publication? {
        guard isComplete.withLock({ $0 }) else { return nil }
        let bound = ports.withLock { $0 }.sorted { ($0.port, $0.address) < ($1.port, $1.address) }
        let reachable = bound.flatMap { open -> [OpenPort] in
            guard let address = IPAddress(open.address) else { return [] }
            let addresses = address.isUnspecified ? interfaces() : [address]
            return addresses.filter { AddressClass($0) != .loopback }
                .map { OpenPort(address: $0.description, port: open.port) }
        }
        return Publication(machine: machine, bound: bound, reachable: reachable)
    }

    /// Whether a connection to an address and port reaches a server of Till's.
    package func contains(_ address: IPAddress, port: Int) -> Bool {
        // A connection to the unspecified address reaches the loopback one of its family.
        var address = address
        if address.isUnspecified { address = IPAddress(address.bytes.count == 4 ? "127.0.0.1" : "::1") ?? address }
        let others = others()
        let here = others.filter { $0.machine == machine }.flatMap(\.bound) + ports.withLock { Array($0) }
        let isHere = here.contains { open in
            guard open.port == port, let bound = IPAddress(open.address) else { return false }
            return bound == address || (bound.isUnspecified && isLocal(address))
        }
        let elsewhere = OpenPort(address: address.description, port: port)
        return isHere || others.contains { $0.reachable.contains(elsewhere) }
    }

    private func isLocal(_ address: IPAddress) -> Bool {
        AddressClass(address) == .loopback || interfaces().contains(address)
    }

    /// The addresses of all network interfaces.
    package static let interfaceAddresses: @Sendable () -> Set<IPAddress> = {
        let devices = (try? System.enumerateDevices()) ?? []
        return Set(devices.compactMap { $0.address.flatMap(IPAddress.init) })
    }

    /// Names the network namespace of this process on this start of its machine.
    package static let thisMachine: String = {
        let start = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let namespace = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
        guard let start, let namespace else { return ProcessInfo.processInfo.hostName }
        return "\(start.trimmingCharacters(in: .whitespacesAndNewlines))/\(namespace)"
    }()
}
