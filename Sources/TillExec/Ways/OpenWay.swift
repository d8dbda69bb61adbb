#if os(Linux)
/// A way that is ready: the prepared program, and what must run at the same time.
struct OpenWay {
    var program: PreparedProgram
    /// Functions that forward the command's connections to Till until they are cancelled.
    let doors: [@Sendable () async throws -> Void]
    /// A helper program, which is stopped when the command ends.
    let helper: RunningProgram?
    /// Describes the way and its limits, for the user.
    let words: String
}
#endif
