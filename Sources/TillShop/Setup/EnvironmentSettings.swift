import TillCore
import TillStorage

/// The settings of an app's environment. For nil, the server's settings apply.
package struct EnvironmentSettings: Codable, Equatable, Sendable {
    /// The subscription renewal rate.
    package var rate: RenewalRate?
    /// The grace period; nil until it is configured.
    package var grace: GracePeriod?
    /// How refund requests of customers are decided.
    package var refundRule: RefundRule?
    /// Where notifications are sent.
    package var endpoints: [EndpointRecord]
    /// False: behaves like Apple's production before the first release of an app, and answers 401.
    package var isReleased: Bool?
    /// The payload profile; nil is the default.
    package var payloadProfile: PayloadProfile?
    /// What a purchase costs in a storefront for which the catalog has no price.
    package var missingPrice: MissingPrice?

    private enum CodingKeys: String, CodingKey {
        case rate, grace, refundRule, endpoints, isReleased, missingPrice
        case payloadProfile = "weather"
    }

    /// The defaults.
    package init() { endpoints = [] }

    /// The endpoint whose deliveries Apple's routes report.
    package var primary: EndpointRecord? { endpoints.first { $0.name == EndpointRecord.primary } }

    /// The resulting policy for the rules in TillCore.
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
            policy.renewalCap = rate.name == "testflight" ? 6 : settings.sandboxRenewalCap
        }
        return policy
    }
}

/// The version of notifications that an endpoint receives.
package enum NotificationVersion: Int, Codable, CaseIterable, Sendable {
    /// Plain JSON with a unified receipt, authenticated by the shared secret (docs/api/notifications-v1.md).
    case one = 1
    /// Signed data (docs/api/notifications.md).
    case two = 2
}

/// An endpoint: a developer's server that receives notifications.
package struct EndpointRecord: Equatable, Sendable {
    /// `primary`, or a name chosen by the operator.
    package var name: String
    /// Where notifications are posted, `http://` or `https://`.
    package var url: String
    /// The types it receives, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`; empty is all.
    package var types: [String]
    /// The version of its notifications.
    package var version: NotificationVersion
    /// Whether it only receives tests: Apple sends a TEST of version 2 also to a primary endpoint of version 1. Never
    /// stored.
    package var takesOnlyTests = false

    /// The name of the endpoint behind the notification history and test notifications.
    package static let primary = "primary"
    /// The name of the endpoint for `till listen` beside a primary endpoint; reserved.
    package static let listening = "listen"

    /// An endpoint.
    package init(
        name: String = EndpointRecord.primary,
        url: String,
        types: [String] = [],
        version: NotificationVersion = .two
    ) {
        self.name = name
        self.url = url
        self.types = types
        self.version = version
    }

    /// The key of its deliveries. Version 1 has its own, so that Apple's history, which contains version 2 only, never
    /// includes them, and nothing is posted in a version that the endpoint no longer has.
    package var key: String { version == .two ? name : "\(name)/\(version.rawValue)" }

    /// The primary endpoint of version 1 as a receiver of tests; nil for every other endpoint.
    var forTests: EndpointRecord? {
        guard name == EndpointRecord.primary, version == .one else { return nil }
        var tests = EndpointRecord(name: name, url: url, version: .two)
        tests.takesOnlyTests = true
        return tests
    }

    /// The name of the endpoint from the key of a delivery.
    package static func name(ofKey key: String) -> String { String(key.prefix { $0 != "/" }) }

    /// Whether the endpoint receives a type of notification.
    package func wants(type: String, subtype: String?) -> Bool {
        types.isEmpty || types.contains(type) || (subtype.map { types.contains("\(type)/\($0)") } ?? false)
    }
}

extension EndpointRecord: Codable {
    private enum CodingKeys: CodingKey {
        case name, url, types, version
    }

    /// Reads an endpoint; data from before there were versions means version 2.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        url = try values.decode(String.self, forKey: .url)
        types = try values.decode([String].self, forKey: .types)
        version = try values.decodeIfPresent(NotificationVersion.self, forKey: .version) ?? .two
    }
}
