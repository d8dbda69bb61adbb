import TillCore
import TillStorage

/// The operator's choices for one environment of an app. What is nil is as the server's settings say.
package struct ScopeRules: Codable, Equatable, Sendable {
    /// How long a month is.
    package var rate: RenewalRate?
    /// Whether there is a grace period, once somebody has chosen.
    package var grace: GracePeriod?
    /// Who decides on refunds that customers ask for.
    package var refundRule: RefundRule?
    /// Where notifications go.
    package var endpoints: [EndpointRecord]
    /// False: Apple's production does not know an app before its first release, and answers 401.
    package var isReleased: Bool?
    /// What is put on the wire beside the truth; nil is fair.
    package var payloadProfile: PayloadProfile?
    /// What a purchase costs in a storefront for which the catalog has no price.
    package var missingPrice: MissingPrice?

    private enum CodingKeys: String, CodingKey {
        case rate, grace, refundRule, endpoints, isReleased, missingPrice
        case payloadProfile = "weather"
    }

    /// Nothing chosen.
    package init() { endpoints = [] }

    /// The endpoint whose deliveries Apple's routes tell of.
    package var primary: EndpointRecord? { endpoints.first { $0.name == EndpointRecord.primary } }

    /// What the rules of the core go by.
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

/// The form in which a developer's server is told.
package enum NotificationVersion: Int, Codable, CaseIterable, Sendable {
    /// Plain JSON with a unified receipt, proved by the shared secret (docs/api/notifications-v1.md).
    case one = 1
    /// Signed data (docs/api/notifications.md).
    case two = 2
}

/// A developer's server that is told of what happens.
package struct EndpointRecord: Equatable, Sendable {
    /// `primary`, or a name of the operator's.
    package var name: String
    /// Where notifications are posted, `http://` or `https://`.
    package var url: String
    /// Types it wants, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`; empty is all.
    package var types: [String]
    /// The form in which it is told.
    package var version: NotificationVersion
    /// Whether it is only there for tests: Apple sends a TEST of version 2 to a primary endpoint of version 1 too.
    /// Never stored.
    package var takesOnlyTests = false

    /// The name of the endpoint behind history and test notifications.
    package static let primary = "primary"
    /// The name under which `till listen` stands beside a primary endpoint; nobody else can have it.
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

    /// Under which deliveries to it are noted. Those of version 1 stand apart, so that Apple's history, which knows
    /// version 2 only, never meets them, and nothing is posted in a form that the endpoint no longer has.
    package var key: String { version == .two ? name : "\(name)/\(version.rawValue)" }

    /// The primary endpoint of version 1 as the one to which tests are sent; nil for every other endpoint.
    var forTests: EndpointRecord? {
        guard name == EndpointRecord.primary, version == .one else { return nil }
        var tests = EndpointRecord(name: name, url: url, version: .two)
        tests.takesOnlyTests = true
        return tests
    }

    /// The name of the endpoint under whose key a delivery was noted.
    package static func name(ofKey key: String) -> String { String(key.prefix { $0 != "/" }) }

    /// Whether it wants a notification.
    package func wants(type: String, subtype: String?) -> Bool {
        types.isEmpty || types.contains(type) || (subtype.map { types.contains("\(type)/\($0)") } ?? false)
    }
}

extension EndpointRecord: Codable {
    private enum CodingKeys: CodingKey {
        case name, url, types, version
    }

    /// Reads an endpoint; one that was written before there were versions has the second.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        url = try values.decode(String.self, forKey: .url)
        types = try values.decode([String].self, forKey: .types)
        version = try values.decodeIfPresent(NotificationVersion.self, forKey: .version) ?? .two
    }
}
