import Foundation
import NIOCore
import Synchronization

/// The ports on which Till listens: the ports of this server and of the other nodes that share its database.
///
/// Each node publishes its ports as the body of a lease, which is deleted with the node's row. If NAT, a container or a
/// load balancer maps a port to another address, that address is unknown here. `DeliveryHeader` protects such ports.
package final class OwnPorts: Sendable {
    /// A port on which a node listens.
    package struct OpenPort: Codable, Hashable, Sendable {
        /// The address that the socket is bound to.
        let address: String
        /// The number of the port.
        let port: Int
    }

    /// The ports that a node publishes to the other nodes.
    package struct Publication: Codable, Equatable, Sendable {
        /// The machine, or its network namespace, from which loopback addresses reach the node.
        let machine: String
        /// The open ports, with the addresses to which their sockets are bound.
        let bound: [OpenPort]
        /// The open ports, with the addresses at which other machines reach them.
        let reachable: [OpenPort]
    }

    private let ports = Mutex<(open: Set<OpenPort>, areComplete: Bool)>(([], false))
    private let others: @Sendable () -> [Publication]
    private let interfaces: @Sendable () -> Set<IPAddress>
    private let machine: String

    /// - Parameters:
    ///   - others: returns what the other nodes have published.
    ///   - interfaces: returns the addresses of this machine.
    ///   - machine: identifies this machine or its network namespace.
    package init(
        others: @escaping @Sendable () -> [Publication] = { [] },
        interfaces: @escaping @Sendable () -> Set<IPAddress> = OwnPorts.interfaceAddresses,
        machine: String = OwnPorts.thisMachine
    ) {
        self.others = others
        self.interfaces = interfaces
        self.machine = machine
    }

    /// Adds an open port.
    ///
    /// - Parameter host: the address or name that the socket was bound to.
    package func add(host: String, port: Int) {
        let found = IPAddress(host) == nil ? try? SocketAddress.makeAddressResolvingHost(host, port: port) : nil
        guard let bound = IPAddress(host) ?? found.flatMap(IPAddress.init) else { return }
        ports.withLock { _ = $0.open.insert(OpenPort(address: bound.description, port: port)) }
    }

    /// Records that all ports are open, so that they can be published.
    package func complete() { ports.withLock { $0.areComplete = true } }

    /// The ports that this node publishes; nil until all ports are open.
    var publication: Publication? {
        let (open, areComplete) = ports.withLock { $0 }
        guard areComplete else { return nil }
        let bound = open.sorted { ($0.port, $0.address) < ($1.port, $1.address) }
        let reachable = bound.flatMap { open -> [OpenPort] in
            guard let address = IPAddress(open.address) else { return [] }
            let addresses = address.isUnspecified ? interfaces() : [address]
            return addresses.filter { AddressClass($0) != .loopback }
                .map { OpenPort(address: $0.description, port: open.port) }
        }
        return Publication(machine: machine, bound: bound, reachable: reachable)
    }

    /// Whether a connection to an address and port reaches a server of this Till.
    package func contains(_ address: IPAddress, port: Int) -> Bool {
        // A connection to the unspecified address reaches the loopback address of its family.
        var address = address
        if address.isUnspecified { address = IPAddress(address.bytes.count == 4 ? "127.0.0.1" : "::1") ?? address }
        let others = others()
        let here = others.filter { $0.machine == machine }.flatMap(\.bound) + Array(ports.withLock { $0.open })
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

    /// Identifies the network namespace of this process since the machine's last boot; on a system without namespaces,
    /// identifies the machine.
    package static let thisMachine: String = {
        #if os(Linux)
        let start = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let namespace = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
        guard let start, let namespace else { return ProcessInfo.processInfo.hostName }
        return "\(start.trimmingCharacters(in: .whitespacesAndNewlines))/\(namespace)"
        #else
        return ProcessInfo.processInfo.hostName
        #endif
    }()
}
