import ArgumentParser
import TillControl

struct SettingsCommand: DocumentedCommand {
    static let summary = "Shows and updates environment settings: renewal rate, grace period, refund decisions."
    static let examples = """
        till settings
        till settings update --rate sandbox-5-minutes
        till settings update --grace 16 --refund-rule byHand
        """
    static var subcommands: Subcommands { [Show.self, Update.self] }
    static var defaultSubcommand: (any ParsableCommand.Type)? { Show.self }

    struct Show: SendingCommand {
        static let summary = "Shows the settings of an app's environment."
        static let examples = "till settings show --environment production"

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetSettings { GetSettings(app: shop.app) }
    }

    struct Update: SendingCommand {
        static let summary = "Changes the given settings. All other settings stay as they are."
        static let examples = """
            till settings update --rate calendar
            till settings update --grace 16 --grace-covers PAID_TO_PAID_ONLY
            till settings update --grace off
            till settings update --payload-profile version:1.8
            """
        static let notes =
            "Payload profiles: fair (the default payloads), sparse (without optional keys), tomorrow and "
            + "tomorrow:SEED (with unknown keys and values), version:1.0 to version:1.22 (without later keys)."

        @Option(help: "The subscription renewal rate: how long a month takes.")
        var rate: RenewalRateChoice?
        @Option(help: "The grace period in days: 3, 16, 28 or off.")
        var grace: String?
        @Option(help: "The renewals that have a grace period (default: ALL_RENEWALS).")
        var graceCovers: GracePeriodCoverage?
        @Option(help: "How refund requests are decided.")
        var refundRule: RefundRule?
        @Option(help: "true or false. With false, production answers 401, as before an app's first release.")
        var released: Bool?
        @Option(help: "The payload profile: fair, sparse, tomorrow, tomorrow:SEED or version:1.N.")
        var payloadProfile: String?
        @Option(help: "For purchases in a storefront without a catalog price (default: storefrontCurrency).")
        var missingPrice: MissingPrice?
        @OptionGroup var options: EnvironmentOptions

        func validate() throws {
            guard
                rate != nil || grace != nil || refundRule != nil || released != nil || payloadProfile != nil
                    || missingPrice != nil
            else {
                throw ValidationError(
                    "Give a setting: --rate, --grace, --refund-rule, --released, --payload-profile or --missing-price."
                )
            }
            if let grace, grace != "off", Int(grace) == nil {
                throw ValidationError("--grace must be 3, 16, 28 or off.")
            }
            if graceCovers != nil, grace == nil { throw ValidationError("--grace-covers needs --grace.") }
        }

        func request(_ shop: AppClient) -> UpdateSettings {
            // The grace period was validated: it is off, or a number of days.
            let days = grace.map { Int($0) ?? 0 }
            return UpdateSettings(
                app: shop.app,
                rate: rate,
                grace: days.map { GracePeriodInfo(days: $0, coverage: graceCovers) },
                refundRule: refundRule,
                released: released,
                payloadProfile: payloadProfile,
                missingPrice: missingPrice
            )
        }
    }
}

extension AnsweringCommand where Answer == SettingsInfo {
    func text(_ settings: SettingsInfo) -> String {
        let grace = settings.grace.map { "\($0.days) days, \($0.coverage?.rawValue ?? "")" }
        return Table.values([
            ("rate", settings.rate.rawValue), ("grace", grace ?? "off"), ("refundRule", settings.refundRule.rawValue),
            ("released", String(settings.released)), ("payloadProfile", settings.payloadProfile),
            ("missingPrice", settings.missingPrice.rawValue),
        ])
    }
}
