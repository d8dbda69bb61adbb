/// Lists all apps.
public struct ListApps: ControlRequest {
    public typealias Answer = [AppInfo]
    public static let operation = ControlOperation(.get, "/v1/apps", tag: .setup)

    public init() {}
}

/// Creates an app, and a team if there is none.
public struct CreateApp: ControlRequest {
    public typealias Answer = AppInfo
    public static let operation = ControlOperation(.post, "/v1/apps", tag: .setup, status: 201)
    public static let limits = [ControlLimit.range(CodingKeys.appAppleId, 1...9_999_999_999)]

    /// The bundle identifier: at most 155 letters, digits, dots and dashes, beginning with a letter or digit.
    public var bundleId: String
    /// The app's Apple ID; by default the next free one.
    public var appAppleId: Int64?
    /// The app's name; by default the bundle identifier.
    public var name: String?
    /// The issuer id of the team; required if there are several teams.
    public var issuerId: String?

    public init(bundleId: String, appAppleId: Int64? = nil, name: String? = nil, issuerId: String? = nil) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.name = name
        self.issuerId = issuerId
    }
}

/// Shows one app.
public struct GetApp: AppRequest {
    public typealias Answer = AppInfo
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}", tag: .setup)

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// An app.
public struct AppInfo: ControlObject {
    /// The bundle identifier.
    public var bundleId: String
    /// The app's Apple ID.
    public var appAppleId: Int64
    /// The app's name.
    public var name: String
    /// The issuer id of the app's team.
    public var issuerId: String

    public init(bundleId: String, appAppleId: Int64, name: String, issuerId: String) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.name = name
        self.issuerId = issuerId
    }
}
