import Foundation

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
