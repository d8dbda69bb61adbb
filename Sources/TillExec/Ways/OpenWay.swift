#if os(Linux)
/// A prepared way: how to start the command, and what must run next to it.
struct OpenWay {
    var program: PreparedProgram
    /// Forward the command's connections to Till until cancelled.
    let doors: [@Sendable () async throws -> Void]
    /// Helpers that end with the command.
    let helper: RunningProgram?
    /// Describes the way and its limits.
    let words: String
}
#endif
