import TillControl
import TillCore
import TillServer
import TillShop

/// The endpoints and settings of an environment, shown by `{{>settings}}` on the environment page.
enum EnvironmentSettingsForm {
    static func value(_ page: PageRequest) async throws -> PageValue {
        let app = try page.app
        let endpoints = try await page.send(ListEndpoints(app: app))
        let settings = try await page.send(GetSettings(app: app))
        return [
            "endpoints": .list(endpoints.prefix(ShownPartLimit.elements).map { endpoint($0, app, page) }),
            "hasEndpoints": .flag(!endpoints.isEmpty),
            "setEndpoint": ActionForm(
                SetEndpoint(app: app, endpoint: "", url: ""),
                "Set endpoint",
                [
                    .init(
                        "path.endpoint",
                        "Name",
                        value: "primary",
                        help: "Get Notification History and Get Test Notification Status report only the endpoint "
                            + "named “primary”."
                    ),
                    .init("url", "URL", hint: "https://example.com/apple"),
                    .init("types", "Notification types, one per line (empty: all)", hint: "DID_RENEW"),
                    .init("version", "Version", .choice([("", "2"), ("1", "1")])),
                ]
            ).value(page),
            "test": NotificationTable.test(app).value(page),
            "updateSettings": form(settings, app).value(page),
        ]
    }

    private static func endpoint(_ endpoint: EndpointInfo, _ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        let name = endpoint.name
        let forms = [
            ActionForm(
                RemoveEndpoint(app: app, endpoint: name),
                "Delete",
                name: name,
                isDestructive: true,
                confirmation: "Discard pending deliveries"
            ),
            ActionForm(
                UpdateEndpoint(app: app, endpoint: name).pausing(endpoint.paused != true),
                endpoint.paused == true ? "Resume" : "Pause",
                name: name
            ),
        ]
        return [
            "name": .text(endpoint.paused == true ? "\(name) (paused)" : name),
            "url": .text(endpoint.url), "version": PageValue(endpoint.version.rawValue),
            "types": .list(endpoint.types.prefix(ShownPartLimit.elements).map { .text($0) }),
            // `till listen` deletes its own endpoint.
            "forms": .list(name == EndpointRecord.listening ? [] : forms.map { $0.value(page) }),
        ]
    }

    /// One form with the current value of every setting.
    private static func form(_ settings: SettingsInfo, _ app: AppEnvironment) -> ActionForm {
        let rates =
            [(value: RenewalRateChoice.serverDefault.rawValue, name: "server default")]
            + RenewalRate.allCases.map { (value: $0.rawValue, name: words(of: $0)) }
        let days = [(value: "0", name: "none")] + GracePeriod.lengths.map { (value: String($0), name: "\($0) days") }
        let rules = RefundRule.allCases.map { (value: $0.rawValue, name: words(ofRefundRule: $0)) }
        let current = UpdateSettings(
            app: app,
            rate: .custom(settings.rate),
            grace: settings.grace ?? GracePeriodInfo(days: 0),
            refundRule: settings.refundRule,
            released: settings.released,
            payloadProfile: settings.payloadProfile,
            missingPrice: settings.missingPrice
        )
        return ActionForm(
            current,
            "Save settings",
            [
                .init("rate", "Subscription renewal rate", .choice(rates)),
                .init("grace.days", "Grace period", .choice(days)),
                .init("grace.coverage", "Grace period covers", .choice(coverages)),
                .init("refundRule", "Refund decisions", .choice(rules)),
                .init(
                    "released",
                    "App is released",
                    .choice([("true", "yes"), ("false", "no (production answers 401)")])
                ),
                .init("payloadProfile", "Payload profile", .choice(profiles(besides: settings.payloadProfile))),
                .init("missingPrice", "If a product has no price in the storefront", .choice(missingPrices)),
            ]
        )
    }

    private static let coverages = GracePeriodCoverage.allCases.map { coverage in
        (
            value: coverage.rawValue,
            name: coverage == .allRenewals ? "all renewals" : "paid-to-paid renewals only"
        )
    }

    private static let missingPrices = MissingPrice.allCases.map { rule in
        (
            value: rule.rawValue,
            name: rule == .refuse
                ? "reject the purchase"
                : "use the number of its standard price, in the storefront’s currency (no conversion)"
        )
    }

    /// A renewal rate as an option. The names of Xcode's rates do not show how long a month lasts.
    private static func words(of rate: RenewalRate) -> String {
        guard rate.rawValue.hasPrefix("xcode-") else { return rate.rawValue }
        let end = rate.end(of: Period(1, .month), from: Timestamp(milliseconds: 0), anchorDay: nil)
        return "\(rate.rawValue) (a month lasts \(Words.duration(end.milliseconds)))"
    }

    /// The payload profiles as options. The current profile is always an option, even if it has a different seed.
    private static func profiles(besides current: String) -> [(value: String, name: String)] {
        let versions = (0...PayloadProfile.newestVersion).reversed().map { PayloadProfile.version($0) }
        let profiles: [PayloadProfile] = [.minimal, .forwardCompatible(seed: 1)] + versions
        var choices = [PayloadProfile.defaultWords] + profiles.map(\.words)
        if !choices.contains(current) { choices.append(current) }
        return choices.map { (value: $0, name: words(ofProfile: $0)) }
    }

    private static func words(ofProfile profile: String) -> String {
        switch PayloadProfile(words: profile) {
        case nil: "default"
        case .minimal?: "minimal"
        case .forwardCompatible(let seed)?: "with unknown keys and values (seed \(seed))"
        case .version(let minor)?: "API version 1.\(minor)"
        }
    }

    /// The name of a rule by which refund requests are decided.
    static func words(ofRefundRule rule: RefundRule) -> String {
        switch rule {
        case .byHand: "manual"
        case .followPreference: "follow the developer’s preference"
        case .alwaysGrant, .alwaysDecline: Words.plain(rule.rawValue)
        }
    }
}
