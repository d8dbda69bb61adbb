#if os(Linux)
import CNamespace

/// The signals of `till exec`, which are for its command.
package enum ExecSignals {
    /// Called before anything else: notes the inherited descriptors, which the command inherits too, and catches
    /// signals from now on.
    package static func prepare() {
        till_note_inherited()
        till_catch_signals()
    }

    /// The last signal that arrived before the command started.
    package static var caught: Int32? {
        let number = till_caught_signal()
        return number == 0 ? nil : number
    }
}
#endif
