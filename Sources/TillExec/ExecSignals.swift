#if os(Linux)
import CNamespace

/// Handles the signals that `till exec` receives for its command.
package enum ExecSignals {
    /// Prepares `till exec` before anything else runs: records the inherited file descriptors, which the command
    /// inherits, too, and begins to catch signals.
    package static func prepare() {
        till_note_inherited()
        till_catch_signals()
    }

    /// The last signal that arrived before the command started; nil if none arrived.
    package static var caught: Int32? {
        let number = till_caught_signal()
        return number == 0 ? nil : number
    }
}

/// Finds free ports of 127.0.0.1.
package enum LoopbackPort {
    /// Returns a port that no process uses now.
    package static func free() throws -> UInt16 {
        guard let port = UInt16(exactly: till_free_port()) else { throw ExecRefused("No port is free on 127.0.0.1.") }
        return port
    }
}
#endif
