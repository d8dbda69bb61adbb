#if os(Linux)
/// An API key that the program receives in its environment variables.
struct ExecKey {
    let id: String
    /// The issuer id; nil for that of the app's team.
    let issuerID: String?
    /// The absolute path of the private key.
    let file: String
}
#endif
