/// Why a clock cannot be set or advanced.
package struct ClockRefused: Error, Sendable {
    /// The machine-readable code.
    package let code: String
    /// The message: what was wrong, and what to do instead.
    package let message: String
}
