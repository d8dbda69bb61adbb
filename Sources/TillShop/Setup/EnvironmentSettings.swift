import TillCore
import TillStorage

/// The settings of an app's environment.
package struct EnvironmentSettings: Codable, Equatable, Sendable {
    /// The subscription renewal rate; nil for the server's setting.
    package var rate: RenewalRate?
    /// The Billing Grace Period; nil if the app offers none.
    package var grace: GracePeriod?
    /// The rule that decides customers' refund requests; nil for `followPreference`.
    package var refundRule: RefundRule?
    /// The endpoints that receive notifications.
    package var endpoints: [EndpointRecord]
    /// False if production must behave like Apple's before an app's first release: every API request is answered with
    /// 401. Nil or true if the app is released.
    package var isReleased: Bool?
    /// The payload profile; nil is the default.
    package var payloadProfile: PayloadProfile?
    /// The price rule for storefronts without a price in the catalog; nil for the default rule.
    package var missingPrice: MissingPrice?

    private enum CodingKeys: String, CodingKey {
        case rate, grace, refundRule, endpoints, isReleased, missingPrice
        case payloadProfile = "weather"
    }

    /// Creates the default settings.
    package init() { endpoints = [] }

    /// The endpoint whose deliveries Get Notification History reports.
    package var primary: EndpointRecord? { endpoint(EndpointRecord.primary) }

    /// The endpoint with a name.
    package func endpoint(_ name: String) -> EndpointRecord? { endpoints.first { $0.name == name } }

    /// Combines these settings and the server's settings into the policy for the rules in TillCore.
    func policy(of environment: StoreEnvironment, under settings: Settings) -> Policy {
        let rate = rate ?? (environment == .sandbox ? settings.sandboxRate : .calendar)
        var policy = Policy(
            for: environment,
            tokenChangeMovesHistory: settings.tokenChangeMovesHistory,
            rate: rate
        )
        policy.grace = grace
        policy.refundRule = refundRule ?? .followPreference
        policy.missingPrice = missingPrice ?? .storefrontCurrency
        policy.keepsAnchorDay = settings.keepsAnchorDay
        policy.keepsGraceDate = settings.keepsGraceDate
        policy.commitmentsEverywhere = settings.commitmentsEverywhere
        policy.extendsFirstPeriod = settings.extendsFirstPeriod
        policy.extraFamilyNotifications = settings.extraFamilyNotifications
        policy.refundWindow = Int64(settings.refundWindowMinutes) * 60_000
        policy.storefrontsAskingConsent = Set(settings.storefrontsAskingConsent)
        if environment == .sandbox, settings.sandboxRenewalCap > 0 {
            policy.renewalCap = rate == .testFlight ? 6 : settings.sandboxRenewalCap
        }
        return policy
    }
}

/// An endpoint: a developer's server that receives notifications.
package struct EndpointRecord: Codable, Equatable, Sendable {
    /// The name of the endpoint: `primary`, or a name that the operator chose.
    package var name: String
    /// The URL to which notifications are posted: `http://` or `https://`.
    package var url: String
    /// The notification types that the endpoint receives, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`; empty for all
    /// types.
    package var types: [String]
    /// The stored version; nil in data of version 0.1.0, which sent only version 2.
    private var storedVersion: NotificationVersion?
    /// Whether deliveries to the endpoint wait; nil means no.
    package var isPaused: Bool?
    /// Whether this value stands for a version 1 endpoint that also receives test notifications of version 2. Apple
    /// sends a TEST of version 2 even to a primary endpoint of version 1. Never stored.
    package var takesOnlyTests = false

    private enum CodingKeys: String, CodingKey {
        case name, url, types, isPaused
        case storedVersion = "version"
    }

    /// The name of the endpoint that receives test notifications and whose deliveries the notification history reports.
    package static let primary = "primary"
    /// The name, reserved for `till listen`, of the endpoint that the command adds if there is already a primary
    /// endpoint.
    package static let listening = "listen"

    /// Creates an endpoint.
    package init(
        name: String = EndpointRecord.primary,
        url: String,
        types: [String] = [],
        version: NotificationVersion = .two
    ) {
        self.name = name
        self.url = url
        self.types = types
        storedVersion = version
    }

    /// The version of the notifications that the endpoint receives.
    package var version: NotificationVersion {
        get { storedVersion ?? .two }
        set { storedVersion = newValue }
    }

    /// The key under which the endpoint's deliveries are stored. Deliveries of version 1 have a separate key. So the
    /// notification history, which contains only version 2, never includes them, and nothing is sent in a version that
    /// the endpoint no longer has.
    package var key: String { version == .two ? name : "\(name)/\(version.rawValue)" }

    /// A primary endpoint of version 1, as a receiver of test notifications of version 2; nil for every other endpoint.
    var forTests: EndpointRecord? {
        guard name == EndpointRecord.primary, version == .one else { return nil }
        var tests = self
        tests.version = .two
        tests.takesOnlyTests = true
        return tests
    }

    /// Reads the endpoint's name from the key of a delivery.
    package static func name(ofKey key: String) -> String { String(key.prefix { $0 != "/" }) }

    /// Whether the endpoint receives a notification of a type and subtype.
    package func wants(type: String, subtype: String?) -> Bool {
        types.isEmpty || types.contains(type) || (subtype.map { types.contains("\(type)/\($0)") } ?? false)
    }
}
