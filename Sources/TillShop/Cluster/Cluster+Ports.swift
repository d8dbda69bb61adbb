import Foundation
import TillStorage

/// Publishes the ports of each node as the body of a lease. When the node is removed, the lease is deleted, too.
extension Cluster {
    private static let portsPrefix = "ports/"

    /// Publishes the ports of this node, unless they are already published.
    func publish(_ ports: OwnPorts.Publication) async throws {
        let node = id
        let name = Self.portsPrefix + node
        guard !has(name) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = String(decoding: try encoder.encode(ports), as: UTF8.self)
        guard try await !take([Lease(name: name, node: node, body: body)]).isEmpty else { return }
        // The other nodes read the leases with their next heartbeat. This message makes them send it now.
        try await storage.publish(NodeMessage.nodes)
    }

    /// The ports of all other live nodes.
    var portsOfOthers: [OwnPorts.Publication] {
        leasesOfOthers(Self.portsPrefix).compactMap { lease in
            try? JSONDecoder().decode(OwnPorts.Publication.self, from: Data(lease.body.utf8))
        }
    }
}
