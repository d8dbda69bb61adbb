import ArgumentParser
import TillJSON
import TillShop

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
            discussion: "till settings show --realm production"
        )

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.showRaw {
                try await $0.get("\(try await scope.path($0))/settings")
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

                Rates: default, calendar, sandbox-3-minutes, sandbox-5-minutes, sandbox-15-minutes, sandbox-30-minutes,
                sandbox-1-hour, testflight, and Xcode's: xcode-1 to xcode-15.

                Payload profiles (--payload-profile): fair (the default payloads), sparse (without optional keys),
                tomorrow and tomorrow:SEED (with unknown keys and values), version:1.0 to version:1.22 (without later
                keys).
                """
        )

        @Option(help: "The subscription renewal rate: how long a month takes.")
        var rate: String?
        @Option(help: "The grace period in days: 3, 16, 28 or off.")
        var grace: String?
        @Option(help: "The renewals that have a grace period: ALL_RENEWALS (default) or PAID_TO_PAID_ONLY.")
        var graceCovers: String?
        @Option(help: "How refund requests are decided: followPreference, alwaysGrant, alwaysDecline or byHand.")
        var refundRule: String?
        @Option(help: "true or false. With false, production answers 401, as before an app's first release.")
        var released: Bool?
        @Option(help: "The payload profile: fair, sparse, tomorrow, tomorrow:SEED or version:1.N.")
        var payloadProfile: String?
        @Option(help: "For purchases in a storefront without a catalog price: storefrontCurrency (default) or refuse.")
        var missingPrice: String?
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
            let days = grace.map { JSONTree.number($0 == "off" ? "0" : $0) }
            let body = JSONTree.members([
                "rate": .text(rate), "refundRule": .text(refundRule),
                "grace": days.map { .members(["days": $0, "coverage": .text(graceCovers)]) },
                "released": released.map { .bool($0) }, "payloadProfile": .text(payloadProfile),
                "missingPrice": .text(missingPrice),
            ])
            try await server.showRaw {
                try await $0.put("\(try await scope.path($0))/settings", bytes: body.written())
            } as: {
                SettingsCommand.words($0)
            }
        }
    }

    private static func words(_ settings: JSONTree) -> String {
        let grace = settings["grace"].map { "\($0["days"]?.text ?? "") days, \($0["coverage"]?.text ?? "")" }
        return ActionSummary.table([
            ("rate", settings["rate"]?.text), ("grace", grace ?? "off"), ("refundRule", settings["refundRule"]?.text),
            ("released", settings["released"]?.text), ("payloadProfile", settings["payloadProfile"]?.text),
            ("missingPrice", settings["missingPrice"]?.text),
        ])
    }
}
