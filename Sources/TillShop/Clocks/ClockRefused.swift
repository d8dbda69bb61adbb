/// Why a clock is not set or moved.
package struct ClockRefused: Error, Sendable {
    /// A word for programs.
    package let code: String
    /// One sentence: what was wrong, and what would do instead.
    package let message: String
}
