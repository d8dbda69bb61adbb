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
#endif
