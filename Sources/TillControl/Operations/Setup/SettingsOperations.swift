/// Shows the settings of the app's environment.
public struct GetSettings: EnvironmentRequest {
    public typealias Answer = SettingsInfo
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}/{environment}/settings", tag: .setup)

    public var app: AppEnvironment

    public init(app: AppEnvironment) {
        self.app = app
    }
}

/// Changes the settings in the body. All other settings stay as they are.
public struct UpdateSettings: EnvironmentRequest {
    public typealias Answer = SettingsInfo
    public static let operation = ControlOperation(.put, "/v1/apps/{bundleId}/{environment}/settings", tag: .setup)
    public static let limits = [ControlLimit.example(CodingKeys.payloadProfile, "version:1.8")]

    public var app: AppEnvironment
    /// The subscription renewal rate; `default` selects the server's setting.
    public var rate: RenewalRateChoice?
    /// The grace period; with 0 days, there is none.
    public var grace: GracePeriodInfo?
    /// How refund requests are decided.
    public var refundRule: RefundRule?
    /// If false, production answers 401, as before an app's first release.
    public var released: Bool?
    /// The payload profile: fair, sparse, tomorrow, tomorrow:SEED, or version:1.N.
    public var payloadProfile: String?
    /// What happens to a purchase in a storefront without a catalog price: Till uses the number of the standard price
    /// in the storefront's currency, or refuses the purchase.
    public var missingPrice: MissingPrice?

    public init(
        app: AppEnvironment,
        rate: RenewalRateChoice? = nil,
        grace: GracePeriodInfo? = nil,
        refundRule: RefundRule? = nil,
        released: Bool? = nil,
        payloadProfile: String? = nil,
        missingPrice: MissingPrice? = nil
    ) {
        self.app = app
        self.rate = rate
        self.grace = grace
        self.refundRule = refundRule
        self.released = released
        self.payloadProfile = payloadProfile
        self.missingPrice = missingPrice
    }
}

/// The settings of an environment.
public struct SettingsInfo: ControlObject {
    public static let limits = [ControlLimit.example(CodingKeys.payloadProfile, "fair")]

    /// The subscription renewal rate: how long a month takes.
    public var rate: RenewalRate
    /// The grace period; absent without one.
    public var grace: GracePeriodInfo?
    /// How refund requests are decided.
    public var refundRule: RefundRule
    /// If false, production answers 401, as before an app's first release.
    public var released: Bool
    /// The payload profile: fair, sparse, tomorrow:SEED or version:1.N.
    public var payloadProfile: String
    /// What happens to a purchase in a storefront without a catalog price.
    public var missingPrice: MissingPrice

    public init(
        rate: RenewalRate,
        grace: GracePeriodInfo? = nil,
        refundRule: RefundRule,
        released: Bool,
        payloadProfile: String,
        missingPrice: MissingPrice
    ) {
        self.rate = rate
        self.grace = grace
        self.refundRule = refundRule
        self.released = released
        self.payloadProfile = payloadProfile
        self.missingPrice = missingPrice
    }
}

/// The grace period of an app's subscriptions.
public struct GracePeriodInfo: ControlObject {
    public static let limits = [ControlLimit.range(CodingKeys.days, 0...28)]

    /// The length in days: 3, 16 or 28. In a request, 0 means no grace period.
    public var days: Int
    /// The renewals that have a grace period; by default all.
    public var coverage: GracePeriodCoverage?

    public init(days: Int, coverage: GracePeriodCoverage? = nil) {
        self.days = days
        self.coverage = coverage
    }
}

/// A subscription renewal rate, or `default` for the rate in the server's settings.
public enum RenewalRateChoice: RawRepresentable, Codable, CaseIterable, Hashable, Sendable {
    /// The rate in the server's settings.
    case serverDefault
    /// A rate.
    case custom(RenewalRate)

    /// The server's rate and every other rate.
    public static var allCases: [RenewalRateChoice] { [.serverDefault] + RenewalRate.allCases.map { .custom($0) } }

    /// The choice with a name; nil for an unknown name.
    public init?(rawValue: String) {
        guard let choice = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = choice
    }

    /// The name.
    public var rawValue: String {
        switch self {
        case .serverDefault: "default"
        case .custom(let rate): rate.rawValue
        }
    }
}
