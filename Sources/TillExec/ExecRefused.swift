#if os(Linux)
/// Why `till exec` did not run its command, or stopped early.
package struct ExecRefused: Error, CustomStringConvertible {
    /// What went wrong, as a message.
    package let description: String
    /// The exit code: 125, as with `env` and `timeout`, unless the command itself could not be run.
    package let code: Int32

    /// - Parameter code: the exit code of `till exec`.
    package init(_ description: String, code: Int32 = 125) {
        self.description = description
        self.code = code
    }
}
#endif
