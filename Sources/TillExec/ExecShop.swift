#if os(Linux)
import Foundation
import NIOCore

/// The server that a command uses as its App Store, and the environment variables about it.
package struct ExecShop: Sendable {
    /// Where the TLS port is.
    let target: SocketAddress
    /// The TLS root, PEM.
    let tlsRoot: String
    /// Ports on this machine's loopback that the command may need at the same address.
    let loopbackPorts: [Int]
    /// Environment variables for the command.
    let environment: [String: String]

    /// - Parameters:
    ///   - target: where the TLS port is.
    ///   - tlsRoot: PEM.
    ///   - loopbackPorts: of the server, if it is on this machine.
    ///   - environment: the variables about the server.
    package init(target: SocketAddress, tlsRoot: String, loopbackPorts: [Int], environment: [String: String]) {
        self.target = target
        self.tlsRoot = tlsRoot
        self.loopbackPorts = loopbackPorts
        self.environment = environment
    }

    /// Writes a file that all users can read.
    package static func write(_ data: Data, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o644])
        else { throw ExecRefused("\(path) cannot be written.") }
    }
}
#endif
