import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on the settings of an app's environment.
extension ControlAPI {
    /// The value of `rate` that selects the rate in the server's settings.
    private static let standard = "default"

    private static func graceSchema(_ lengths: String) -> Schema {
        .object(
            "The grace period.",
            [
                Schema.required("days", .integer(lengths, 0...28)),
                Schema.optional(
                    "coverage",
                    .string(
                        "The renewals that have a grace period.",
                        oneOf: GracePeriod.Coverage.allCases.map(\.rawValue)
                    )
                ),
            ]
        )
    }

    private static let rulesSchema = Schema.object(
        "The settings of an environment.",
        [
            Schema.required(
                "rate",
                .string("The subscription renewal rate: how long a month takes.", oneOf: RenewalRate.all.map(\.name))
            ),
            Schema.optional("grace", graceSchema("The length in days: 3, 16 or 28; absent without a grace period.")),
            Schema.required(
                "refundRule",
                .string("How refund requests are decided.", oneOf: RefundRule.allCases.map(\.rawValue))
            ),
            Schema.required(
                "released",
                .boolean("If false, production answers 401, as before an app's first release.")
            ),
            Schema.required(
                "weather",
                .string(
                    "The payload profile: fair, sparse, tomorrow:SEED or version:1.N.",
                    example: PayloadProfile.defaultWords
                )
            ),
            Schema.required(
                "missingPrice",
                .string(
                    "What happens to a purchase in a storefront without a catalog price.",
                    oneOf: MissingPrice.allCases.map(\.rawValue)
                )
            ),
        ]
    )

    var ruleRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/rules",
                id: "getRules",
                tag: "rules",
                summary: "Shows the settings of the app's environment.",
                response: Self.rulesSchema
            ) { json(rulesOf: try $0.scope()) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/rules",
                id: "setRules",
                tag: "rules",
                summary: "Changes the settings in the body. All other settings stay as they are.",
                request: .object(
                    "Settings.",
                    [
                        Schema.optional(
                            "rate",
                            .string(
                                "The subscription renewal rate; default selects the server's setting.",
                                oneOf: [Self.standard] + RenewalRate.all.map(\.name)
                            )
                        ),
                        Schema.optional(
                            "grace",
                            Self.graceSchema("The length in days: 3, 16 or 28; 0 for no grace period.")
                        ),
                        Schema.optional(
                            "refundRule",
                            .string(
                                "How refund requests are decided.",
                                oneOf: RefundRule.allCases.map(\.rawValue)
                            )
                        ),
                        Schema.optional("released", .boolean("If false, production answers 401.")),
                        Schema.optional(
                            "weather",
                            .string(
                                "The payload profile: fair, sparse, tomorrow, tomorrow:SEED, or version:1.N.",
                                example: "version:1.8"
                            )
                        ),
                        Schema.optional(
                            "missingPrice",
                            .string(
                                "Sell at the standard price's amount in the storefront's currency, or refuse.",
                                oneOf: MissingPrice.allCases.map(\.rawValue)
                            )
                        ),
                    ]
                ),
                response: Self.rulesSchema
            ) { exchange in
                let scope = try exchange.scope()
                let body = exchange.body
                let grace = try body.object("grace").map(Self.grace)
                let payloadProfile = try body.text("weather").map(Self.payloadProfile)
                let refundRule = body.text("refundRule").flatMap(RefundRule.init(rawValue:))
                let missingPrice = body.text("missingPrice").flatMap(MissingPrice.init(rawValue:))
                try await shop.updateRules(of: scope) { rules in
                    if let missingPrice { rules.missingPrice = missingPrice }
                    if let rate = body.text("rate") { rules.rate = RenewalRate(name: rate) }
                    if let grace { rules.grace = grace }
                    if let refundRule { rules.refundRule = refundRule }
                    if let payloadProfile { rules.payloadProfile = payloadProfile }
                    if let released = body.flag("released") { rules.isReleased = released ? nil : false }
                }
                return json(rulesOf: scope)
            },
        ]
    }

    /// The grace period in the body; nil for no grace period.
    private static func grace(_ body: ControlBody) throws -> GracePeriod? {
        let days = Int(body.number("days") ?? 0)
        guard days > 0 else { return nil }
        guard GracePeriod.lengths.contains(days) else {
            throw ControlError.bad(
                "bad_grace",
                "A grace period must have 3, 16 or 28 days; 0 means none.",
                path: "$.grace.days"
            )
        }
        let coverage = body.text("coverage").flatMap(GracePeriod.Coverage.init(rawValue:))
        return GracePeriod(days: days, coverage: coverage ?? .allRenewals)
    }

    /// The payload profile with a name; nil for the default profile, `fair`.
    private static func payloadProfile(_ words: String) throws -> PayloadProfile? {
        guard words != PayloadProfile.defaultWords else { return nil }
        guard let payloadProfile = PayloadProfile(words: words) else {
            throw ControlError.bad(
                "bad_weather",
                "The payload profile must be fair, sparse, tomorrow, tomorrow:SEED, or version:1.0 to version:1."
                    + "\(PayloadProfile.newestVersion).",
                path: "$.weather"
            )
        }
        return payloadProfile
    }

    private func json(rulesOf scope: AccountScope) -> [UInt8] {
        let policy = shop.policy(of: scope)
        var json = JSONWriter()
        json.put("rate", policy.rate.name)
        json.put(
            "grace",
            written: policy.grace.map { grace in
                var json = JSONWriter()
                json.put("days", grace.days)
                json.put("coverage", grace.coverage.rawValue)
                return json.finish()
            }
        )
        json.put("refundRule", policy.refundRule.rawValue)
        json.put("released", shop.registry.rules(of: scope).isReleased ?? true)
        json.put("weather", shop.registry.payloadProfile(of: scope)?.words ?? PayloadProfile.defaultWords)
        json.put("missingPrice", policy.missingPrice.rawValue)
        return json.finish()
    }
}
