/// An app in one of its two environments, whose data are separate.
public struct AppEnvironment: ControlObject, Hashable {
    /// The app's bundle identifier.
    public var bundleId: String
    /// The environment: production or sandbox.
    public var environment: StoreEnvironment

    /// An app in the sandbox, or in another environment.
    public init(_ bundleId: String, _ environment: StoreEnvironment = .sandbox) {
        self.bundleId = bundleId
        self.environment = environment
    }
}
