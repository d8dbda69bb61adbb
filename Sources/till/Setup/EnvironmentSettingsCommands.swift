import ArgumentParser
import TillControl

struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract:
            "Shows and changes environment settings: renewal rate, grace period, refund decisions, payload profile.",
        discussion: """
            till settings
            till settings set --rate sandbox-5-minutes
            till settings set --grace 16 --refund-rule byHand
            """,
        subcommands: [Show.self, Set.self],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the settings of an app's environment.",
            discussion: "till settings show --environment production"
        )

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                GetSettings(app: $0.app)
            } as: {
                SettingsCommand.words($0)
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the given settings. All other settings stay as they are.",
            discussion: """
                till settings set --rate calendar
                till settings set --grace 16 --grace-covers PAID_TO_PAID_ONLY
                till settings set --grace off
                till settings set --payload-profile version:1.8
                till settings set --missing-price refuse

                Payload profiles (--payload-profile): fair (the default payloads), sparse (without optional keys),
                tomorrow and tomorrow:SEED (with unknown keys and values), version:1.0 to version:1.22 (without later
                keys).
                """
        )

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
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

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

        func run() async throws {
            // The grace period was validated: it is off, or a number of days.
            let days = grace.map { Int($0) ?? 0 }
            try await server.show(in: scope) {
                UpdateSettings(
                    app: $0.app,
                    rate: rate,
                    grace: days.map { GracePeriodInfo(days: $0, coverage: graceCovers) },
                    refundRule: refundRule,
                    released: released,
                    payloadProfile: payloadProfile,
                    missingPrice: missingPrice
                )
            } as: {
                SettingsCommand.words($0)
            }
        }
    }

    private static func words(_ settings: SettingsInfo) -> String {
        let grace = settings.grace.map { "\($0.days) days, \($0.coverage?.rawValue ?? "")" }
        return ActionSummary.table([
            ("rate", settings.rate.rawValue), ("grace", grace ?? "off"), ("refundRule", settings.refundRule.rawValue),
            ("released", String(settings.released)), ("payloadProfile", settings.payloadProfile),
            ("missingPrice", settings.missingPrice.rawValue),
        ])
    }
}
