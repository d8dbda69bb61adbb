#if os(Linux)
import Foundation
import NIOCore

/// The server that is the command's App Store, and the environment variables that describe this server.
package struct ExecShop: Sendable {
    /// The address of the server's TLS port.
    let target: SocketAddress
    /// The root certificate of TLS, PEM.
    let tlsRoot: String
    /// The server's ports on this machine's loopback, which the command may need at the same address.
    let loopbackPorts: [Int]
    /// The environment variables that describe the server.
    let environment: [String: String]

    /// - Parameters:
    ///   - target: the address of the server's TLS port.
    ///   - tlsRoot: the root certificate of TLS, PEM.
    ///   - loopbackPorts: the ports of a server on this machine; empty for a server on another machine.
    ///   - environment: the environment variables that describe the server.
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
