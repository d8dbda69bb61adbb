#if os(Linux)
/// The ways to redirect a command from the App Store to Till.
package enum ExecWay: String, CaseIterable, Sendable {
    /// A mount namespace; only for root.
    case mount
    /// A network namespace, connected by slirp4netns.
    case network
    /// `HTTPS_PROXY` and the variables for certificate authorities.
    case proxy
}
#endif
