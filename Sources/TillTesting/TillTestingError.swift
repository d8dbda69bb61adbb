/// Why a test cannot continue: no server, no catalog, a missing notification.
public struct TillTestingError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
