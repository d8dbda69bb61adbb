import Foundation
import TillStorage

/// What nodes tell each other of their ports: the body of a lease, which goes with the node's row.
extension Cluster {
    private static let portsPrefix = "ports/"

    /// Tells the other nodes on which ports this one listens, unless they know.
    func publish(_ ports: OwnPorts.Publication) async throws {
        let node = id
        let name = Self.portsPrefix + node
        guard !has(name) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = String(decoding: try encoder.encode(ports), as: UTF8.self)
        guard try await !take([Lease(name: name, node: node, body: body)]).isEmpty else { return }
        // The others read the leases with their next beat; this lets them beat now.
        try await storage.say(NodeWord.nodes)
    }

    /// The ports of all other nodes that live.
    var portsOfOthers: [OwnPorts.Publication] {
        leasesOfOthers(Self.portsPrefix).compactMap { lease in
            try? JSONDecoder().decode(OwnPorts.Publication.self, from: Data(lease.body.utf8))
        }
    }
}
