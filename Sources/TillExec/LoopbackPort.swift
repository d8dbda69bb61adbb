#if os(Linux)
import CNamespace

/// Finds free ports of 127.0.0.1.
package enum LoopbackPort {
    /// Returns a port that no process uses now.
    package static func free() throws -> UInt16 {
        guard let port = UInt16(exactly: till_free_port()) else { throw ExecRefused("No port is free on 127.0.0.1.") }
        return port
    }
}
#endif
