import TillControl
import TillCore
import TillServer
import TillShop

/// The endpoints and settings of an environment, shown by `{{>settings}}` on the environment page.
enum EnvironmentSettingsForm {
    /// The fragment of the URL that leads to the endpoints.
    static let endpoints = "#endpoints-title"

    static func value(_ page: PageRequest) async throws -> PageValue {
        let app = try page.app
        let endpoints = try await page.send(ListEndpoints(app: app))
        return [
            "endpoints": endpoints.prefix(ListLimit.elements).listed { endpoint($0, app, page) },
            "hasEndpoints": !endpoints.isEmpty,
            "setEndpoint": setEndpoint(page, app),
            "test": NotificationTable.test(app, page),
            "updateSettings": form(try await page.send(GetSettings(app: app)), app, page),
        ]
    }

    /// The form that sets an endpoint.
    static func setEndpoint(_ page: PageRequest, _ app: AppEnvironment) -> PageValue {
        let reported =
            "Get Notification History and Get Test Notification Status report only the endpoint named “primary”."
        return page.form(
            SetEndpoint(app: app, endpoint: "", url: ""),
            "Set endpoint",
            [
                .init("path.endpoint", "Name", value: "primary", help: reported),
                .init("url", "URL", hint: "https://example.com/apple"),
                .init("types", "Notification types, one per line (empty: all)", hint: "DID_RENEW"),
                .init("version", "Version", .choice([("", "2"), ("1", "1")])),
            ]
        )
    }

    private static func endpoint(_ endpoint: EndpointInfo, _ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        let name = endpoint.name
        let isPaused = endpoint.paused == true
        let remove = page.form(
            RemoveEndpoint(app: app, endpoint: name),
            "Delete",
            name: name,
            isDestructive: true,
            confirmation: "Discard pending deliveries"
        )
        let update = UpdateEndpoint(app: app, endpoint: name).pausing(!isPaused)
        return [
            "name": name, "state": isPaused ? "paused" : "active", "style": isPaused ? "warn" : "good",
            "url": endpoint.url, "version": endpoint.version.rawValue,
            "types": Array(endpoint.types.prefix(ListLimit.elements)),
            // `till listen` deletes its own endpoint.
            "forms": name == EndpointRecord.listening
                ? nil : [page.form(update, isPaused ? "Resume" : "Pause", name: name), remove],
        ]
    }

    /// One form with the current value of every setting.
    private static func form(_ settings: SettingsInfo, _ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        let rates =
            [(RenewalRateChoice.serverDefault.rawValue, "server default")]
            + RenewalRate.allCases.map { ($0.rawValue, words(of: $0)) }
        let days = [("0", "none")] + GracePeriod.lengths.map { (String($0), "\($0) days") }
        let rules = RefundRule.allCases.map { ($0.rawValue, words(ofRefundRule: $0)) }
        let current = UpdateSettings(
            app: app,
            rate: .custom(settings.rate),
            grace: settings.grace ?? GracePeriodInfo(days: 0),
            refundRule: settings.refundRule,
            released: settings.released,
            payloadProfile: settings.payloadProfile,
            missingPrice: settings.missingPrice
        )
        let released = [("true", "yes"), ("false", "no (production answers 401)")]
        return page.form(
            current,
            "Save settings",
            [
                .init("rate", "Subscription renewal rate", .choice(rates)),
                .init("grace.days", "Grace period", .choice(days)),
                .init("grace.coverage", "Grace period covers", .choice(coverages)),
                .init("refundRule", "Refund decisions", .choice(rules)),
                .init("released", "App is released", .choice(released)),
                .init("payloadProfile", "Payload profile", .choice(profiles(besides: settings.payloadProfile))),
                .init("missingPrice", "If a product has no price in the storefront", .choice(missingPrices)),
            ]
        )
    }

    private static let coverages = GracePeriodCoverage.allCases.map {
        ($0.rawValue, $0 == .allRenewals ? "all renewals" : "paid-to-paid renewals only")
    }

    private static let missingPrices = MissingPrice.allCases.map { rule in
        let convert = "use the number of its standard price, in the storefront’s currency (no conversion)"
        return (rule.rawValue, rule == .refuse ? "reject the purchase" : convert)
    }

    /// A renewal rate as an option. The names of Xcode's rates do not show how long a month lasts.
    private static func words(of rate: RenewalRate) -> String {
        guard rate.rawValue.hasPrefix("xcode-") else { return rate.rawValue }
        let end = rate.end(of: Period(1, .month), from: Timestamp(milliseconds: 0), anchorDay: nil)
        return "\(rate.rawValue) (a month lasts \(Words.duration(end.milliseconds)))"
    }

    /// The payload profiles as options. The current profile is always an option, even if it has a different seed.
    private static func profiles(besides current: String) -> [FormField.Option] {
        let versions = (0...PayloadProfile.newestVersion).reversed().map { PayloadProfile.version($0) }
        let profiles: [PayloadProfile] = [.minimal, .forwardCompatible(seed: 1)] + versions
        var choices = [PayloadProfile.defaultWords] + profiles.map(\.words)
        if !choices.contains(current) { choices.append(current) }
        return choices.map { ($0, words(ofProfile: $0)) }
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
