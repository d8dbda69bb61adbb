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
            "edits": endpoints.prefix(ListLimit.elements).filter { $0.name != EndpointRecord.listening }.listed {
                ["name": $0.name, "form": edit($0, app, page)]
            },
            "setEndpoint": setEndpoint(page, app, besides: endpoints),
            "test": NotificationTable.test(app, page),
            "updateSettings": form(try await page.send(GetSettings(app: app)), app, page),
        ]
    }

    /// The form that adds an endpoint. It does not replace an endpoint, because it does not show the present values.
    static func setEndpoint(_ page: PageRequest, _ app: AppEnvironment, besides present: [EndpointInfo] = [])
        -> PageValue
    {
        let reported =
            "Get Notification History and Get Test Notification Status report only the endpoint named “primary”."
        let hasPrimary = present.contains { $0.name == EndpointRecord.primary }
        return page.form(
            SetEndpoint(app: app, endpoint: "", url: ""),
            "Set endpoint",
            [
                .init("path.endpoint", "Name", value: hasPrimary ? "" : EndpointRecord.primary, help: reported),
                .init("_new", "", .hidden, value: "true"),
            ] + fields
        )
    }

    /// The form that changes an endpoint, with the present values.
    private static func edit(_ endpoint: EndpointInfo, _ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        let present = SetEndpoint(app: app, endpoint: endpoint.name, url: endpoint.url, types: endpoint.types)
        let version = endpoint.version == .one ? "1" : ""
        return page.form(
            present,
            "Save",
            fields.map { field in
                guard field.name == "version" else { return field }
                var field = field
                field.value = version
                return field
            },
            name: endpoint.name
        )
    }

    private static let fields: [FormField] = [
        .init("url", "URL", hint: "https://example.com/apple"),
        .init("types", "Notification types, one per line (empty: all)", hint: "DID_RENEW"),
        .init("version", "Version", .choice([("", "2"), ("1", "1")])),
    ]

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

    /// The settings that changed, with the labels and words of the form.
    static func words(of answer: ChangedSettings) -> [PageValue] {
        let settings = answer.settings
        let grace = settings.grace.map { grace in
            [grace.days == 0 ? "none" : "\(grace.days) days", coverages.first { $0.0 == grace.coverage?.rawValue }?.1]
                .compactMap(\.self).joined(separator: ", ")
        }
        let all: [(key: String, label: String, words: String)] = [
            ("rate", "Subscription renewal rate", words(of: settings.rate)),
            ("grace", "Grace period", grace ?? "none"),
            ("refundRule", "Refund decisions", words(ofRefundRule: settings.refundRule)),
            ("released", "App is released", settings.released ? "yes" : "no (production answers 401)"),
            ("payloadProfile", "Payload profile", words(ofProfile: settings.payloadProfile)),
            (
                "missingPrice", "If a product has no price in the storefront",
                missingPrices.first { $0.0 == settings.missingPrice.rawValue }?.1 ?? settings.missingPrice.rawValue
            ),
        ]
        return all.filter { answer.changed.contains($0.key) }.map { ["name": $0.label, "value": $0.words] }
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
