#if os(Linux)
/// The ways in which a command is redirected from the App Store to Till.
package enum ExecWay: String, CaseIterable, Sendable {
    /// A mount namespace with its own hosts file and certificates; for root only.
    case mount
    /// A network namespace, which slirp4netns connects to the machine's network.
    case network
    /// `HTTPS_PROXY` and the variables for certificate authorities.
    case proxy
}

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
