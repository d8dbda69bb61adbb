import Foundation
import NIOCore

/// Checks the address and port of a listener before the listener starts.
struct PortCheck {
    let listener: ListenerKind
    let host: String
    /// The port; 0 lets the system choose.
    let port: Int

    /// Refuses a port that another process uses, and an address that this machine does not have. Does not reserve the
    /// port.
    func requireFree() throws {
        let address: SocketAddress
        do {
            address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        } catch {
            throw RuntimeRefused(
                "\(listener.hostFlag) \(host) does not resolve. Give an address of this machine, such as 127.0.0.1, or "
                    + "0.0.0.0 for all its addresses."
            )
        }
        guard let code = Self.failure(binding: address) else { return }
        throw PortRefused(listener: listener, port: port, code: code)
    }

    /// Binds the port and releases it again. It does not listen, so no client can connect.
    ///
    /// - Returns: the system's error number; nil if the address can be bound.
    private static func failure(binding address: SocketAddress) -> Int32? {
        let family: Int32
        switch address {
        case .v4: family = AF_INET
        case .v6: family = AF_INET6
        case .unixDomainSocket: return nil
        }
        let descriptor = socket(family, stream, 0)
        // If no socket can be created, the check is skipped; the listener will report the error.
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        return result == 0 ? nil : errno
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif
}

/// Why a port cannot be used, and what the operator can do.
package struct PortRefused: Error, CustomStringConvertible {
    /// The listener that needs the port.
    package let listener: ListenerKind
    /// The configured port.
    package let port: Int
    /// The system's error number.
    package let code: Int32

    package var description: String {
        switch code {
        case EADDRINUSE:
            "Port \(port) is taken. Choose another with \(listener.flag), or stop the process that uses it."
        case EACCES, EPERM:
            "This user may not listen on port \(port). Choose another with \(listener.flag)."
        case EADDRNOTAVAIL:
            "Port \(port) cannot be used (\(listener.flag)): this machine does not have the address. Check --host, "
                + "--control-address and --tls-host."
        default:
            "Port \(port) cannot be used: \(String(cString: strerror(code))). Choose another with \(listener.flag)."
        }
    }
}
