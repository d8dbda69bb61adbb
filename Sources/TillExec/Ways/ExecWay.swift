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
#endif
