/// The app and the environment of the data that a verifier accepts.
public struct ExpectedApp: Hashable, Sendable {
    /// The bundle id.
    public let bundleID: String
    /// The environment.
    public let environment: PayloadEnvironment
    /// The id of the app in the App Store; only in production.
    public let appAppleID: Int64?

    /// Real purchases of an app.
    ///
    /// - Parameters:
    ///   - bundleID: the bundle id.
    ///   - appAppleID: the id of the app in the App Store, which App Store Connect calls Apple ID.
    public static func production(bundleID: String, appAppleID: Int64) -> ExpectedApp {
        ExpectedApp(bundleID: bundleID, environment: .production, appAppleID: appAppleID)
    }

    /// Purchases of an app in the sandbox and in TestFlight.
    public static func sandbox(bundleID: String) -> ExpectedApp {
        ExpectedApp(bundleID: bundleID, environment: .sandbox, appAppleID: nil)
    }

    /// Data that Xcode signed on a developer's machine. **No signature is checked**, because no certificate of the
    /// App Store signed it: anybody can make such data. Never use it where purchases matter.
    public static func uncheckedXcode(bundleID: String) -> ExpectedApp {
        ExpectedApp(bundleID: bundleID, environment: .xcode, appAppleID: nil)
    }

    /// Data of the environment LocalTesting. **No signature is checked**: anybody can make such data. Never use it
    /// where purchases matter.
    public static func uncheckedLocalTesting(bundleID: String) -> ExpectedApp {
        ExpectedApp(bundleID: bundleID, environment: .localTesting, appAppleID: nil)
    }

    private init(bundleID: String, environment: PayloadEnvironment, appAppleID: Int64?) {
        (self.bundleID, self.environment, self.appAppleID) = (bundleID, environment, appAppleID)
    }

    /// Whether signatures are checked.
    var isSigned: Bool { environment == .production || environment == .sandbox }
}
