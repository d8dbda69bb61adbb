#if os(Linux)
/// An API key, for the variables of the command.
struct ExecKey {
    let id: String
    /// Nil takes the app's.
    let issuerID: String?
    /// An absolute path.
    let file: String
}
#endif
