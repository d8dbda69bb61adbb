import TillCore
import TillJSON
import TillServer
import TillShop

/// The endpoints and settings of an environment, shown by `{{>settings}}` on the environment page.
enum EnvironmentSettingsForm {
    static func value(_ page: PageRequest) async throws -> PageValue {
        let endpoints = try await page.ask("listEndpoints")["endpoints"]?.elements ?? []
        let settings = try await page.ask("getSettings")
        return [
            "endpoints": .list(endpoints.prefix(ShownPartLimit.elements).map { endpoint($0, page) }),
            "hasEndpoints": .flag(!endpoints.isEmpty),
            "setEndpoint": ActionForm(
                "setEndpoint",
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
            "test": ActionForm("requestTestNotification", "Send test notification").value(page),
            "updateSettings": form(settings).value(page),
        ]
    }

    private static func endpoint(_ endpoint: JSONTree, _ page: PageRequest) -> PageValue {
        let name = endpoint["name"]?.text ?? ""
        let types = (endpoint["types"]?.elements ?? []).compactMap(\.text)
        let remove = ActionForm(
            "removeEndpoint",
            "Delete",
            parameters: ["endpoint": name],
            name: name,
            isDestructive: true,
            confirmation: "Discard pending deliveries"
        )
        return [
            "name": .text(name), "url": PageValue(endpoint["url"]?.text),
            "version": PageValue(endpoint["version"]?.text),
            "types": .list(types.prefix(ShownPartLimit.elements).map { .text($0) }),
            // `till listen` deletes its own endpoint.
            "remove": name == "listen" ? .nothing : remove.value(page),
        ]
    }

    /// One form with the current value of every setting.
    private static func form(_ settings: JSONTree) -> ActionForm {
        func field(_ name: String, _ label: String, _ options: [(value: String, name: String)], _ value: String?)
            -> ActionForm.Field
        {
            .init(name, label, .choice(options), value: value ?? options.first?.value ?? "")
        }
        let grace = settings["grace"]
        let rates =
            [(value: "default", name: "server default")]
            + RenewalRate.allCases.map { (value: $0.rawValue, name: words(of: $0)) }
        let days = [(value: "0", name: "none")] + GracePeriod.lengths.map { (value: String($0), name: "\($0) days") }
        let profile = settings["payloadProfile"]?.text ?? PayloadProfile.defaultWords
        return ActionForm(
            "updateSettings",
            "Save settings",
            [
                field("rate", "Subscription renewal rate", rates, settings["rate"]?.text),
                field("grace.days", "Grace period", days, grace?["days"]?.text),
                field(
                    "grace.coverage",
                    "Grace period covers",
                    [("ALL_RENEWALS", "all renewals"), ("PAID_TO_PAID_ONLY", "paid-to-paid renewals only")],
                    grace?["coverage"]?.text
                ),
                field(
                    "refundRule",
                    "Refund decisions",
                    RefundRule.allCases.map { (value: $0.rawValue, name: words(ofRefundRule: $0)) },
                    settings["refundRule"]?.text
                ),
                field(
                    "released",
                    "App is released",
                    [("true", "yes"), ("false", "no (production answers 401)")],
                    settings["released"]?.isTrue == false ? "false" : "true"
                ),
                field("payloadProfile", "Payload profile", profiles(besides: profile), profile),
                field(
                    "missingPrice",
                    "If a product has no price in the storefront",
                    [
                        (
                            "storefrontCurrency",
                            "use the number of its standard price, in the storefront’s currency (no conversion)"
                        ),
                        ("refuse", "reject the purchase"),
                    ],
                    settings["missingPrice"]?.text
                ),
            ]
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
