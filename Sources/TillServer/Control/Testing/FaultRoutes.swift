import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop

/// Operations on fault rules.
extension ControlAPI {
    private static let ruleProperties = [
        Schema.required("kind", .string("The kind of fault.", oneOf: FaultRule.Kind.allCases.map(\.rawValue))),
        Schema.optional(
            "realm",
            .string("The environment to which the rule is limited.", oneOf: ["production", "sandbox"])
        ),
        Schema.optional("bundleId", .string("The app to which the rule is limited.")),
        Schema.optional(
            "route",
            .string("The route to which the rule is limited, such as getTransactionInfo; for notifications, the type.")
        ),
        Schema.optional("customer", .string("The customer to whom the rule is limited.")),
        Schema.optional(
            "percent",
            .integer("The percentage of matching calls that are affected; all by default.", 1...100)
        ),
        Schema.optional(
            "limit",
            .integer("The maximum number of affected calls; unlimited by default.", 1...1_000_000)
        ),
        Schema.optional(
            "until",
            .integer("When the rule ends, in milliseconds of real time since 1970.", 0...Int64.max)
        ),
        Schema.optional(
            "code",
            .integer("The error code, HTTP status, or status of verifyReceipt that is returned.", 400...9_999_999)
        ),
        Schema.optional(
            "retryAfter",
            .integer("The value of the Retry-After header of an error, in seconds.", 0...86_400)
        ),
        Schema.optional("milliseconds", .integer("The length of the delay in milliseconds.", 0...600_000)),
        Schema.optional("spread", .integer("The maximum of an additional random delay, in milliseconds.", 0...600_000)),
        Schema.optional(
            "perHour",
            .integer("The calls per hour that rateLimit allows; Apple's limit by default.", 0...1_000_000_000)
        ),
        Schema.optional("seed", .integer("The seed of the random numbers, to repeat a run.", 0...Int64.max)),
    ]

    private static let faultSchema = Schema.object(
        "A fault rule.",
        [Schema.required("id", .string("The id of the rule."))] + ruleProperties + [
            Schema.required("seen", .integer("The number of matching calls since the server started.")),
            Schema.required("struck", .integer("The number of affected calls since the server started.")),
        ]
    )

    var faultRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/faults",
                id: "listFaults",
                tag: "faults",
                summary: "Lists the fault rules, with the number of affected calls of each.",
                response: .object(
                    "Rules.",
                    [Schema.required("faults", .array("The rules, oldest first.", of: Self.faultSchema))]
                )
            ) { _ in
                var json = JSONWriter()
                json.put("faults", objects: shop.faults.all.map(Self.json))
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/faults",
                id: "addFault",
                tag: "faults",
                summary: "Adds a fault rule.",
                request: .object("The rule to add.", Self.ruleProperties),
                response: Self.faultSchema,
                status: .created
            ) { exchange in
                guard
                    let rule = try await shop.exclusively(
                        "faults",
                        { try await shop.faults.add(try rule(exchange.body)) }
                    )
                else {
                    throw ControlError.conflict(
                        "too_many_faults",
                        "There are already \(FaultRules.limit) rules. Remove one with till fault remove."
                    )
                }
                return Self.json(FaultRules.Standing(rule: rule))
            },
            ControlRoute(
                method: .delete,
                path: "/v1/faults",
                id: "removeFaults",
                tag: "faults",
                summary: "Removes all fault rules."
            ) { _ in
                _ = try await shop.faults.remove(nil)
                return []
            },
            ControlRoute(
                method: .delete,
                path: "/v1/faults/{faultId}",
                id: "removeFault",
                tag: "faults",
                summary: "Removes a fault rule."
            ) { exchange in
                let id = exchange.parameter("faultId")
                guard try await shop.faults.remove(id) > 0 else {
                    throw ControlError.notFound(
                        "unknown_fault",
                        "There is no fault rule \(id.prefix(64)). List them with till fault list."
                    )
                }
                return []
            },
        ]
    }

    private func rule(_ body: ControlBody) throws -> FaultRule {
        guard let kind = body.text("kind").flatMap(FaultRule.Kind.init(rawValue:)) else {
            throw ControlError.bad("bad_fault", "A fault rule needs a kind.", path: "$.kind")
        }
        let seed = body.number("seed").map { UInt64($0) }
        var rule = FaultRule(id: "", kind: kind, seed: seed ?? UInt64.random(in: 0...UInt64(Int64.max)))
        rule.environment = body.text("realm").map { $0 == "production" ? .production : .sandbox }
        rule.app = body.text("bundleId")
        rule.route = body.text("route")
        rule.customer = body.text("customer")
        rule.share = body.number("percent").map { Double($0) / 100 }
        rule.limit = body.number("limit").map { Int($0) }
        rule.until = body.number("until").map { Timestamp(milliseconds: $0) }
        rule.code = body.number("code").map { Int($0) }
        rule.retryAfter = body.number("retryAfter").map { Int($0) }
        rule.milliseconds = body.number("milliseconds").map { Int($0) }
        rule.spread = body.number("spread").map { Int($0) }
        rule.perHour = body.number("perHour").map { Int($0) }
        try check(rule)
        return rule
    }

    private func check(_ rule: FaultRule) throws {
        if let app = rule.app, shop.registry.app(app) == nil {
            throw ControlError.notFound(
                "unknown_app",
                "There is no app \(app.prefix(64)). List them with till app list."
            )
        }
        if let route = rule.route { try check(route, of: rule.kind) }
        let code = rule.code ?? 0
        switch rule.kind {
        case .error where APIError.documented[code] == nil:
            throw ControlError.bad(
                "bad_code",
                "The code must be a documented error code, such as 5000001. See docs/api/errors.md.",
                path: "$.code"
            )
        case .status where !(500...599).contains(code):
            throw ControlError.bad("bad_code", "A status must be 500 to 599.", path: "$.code")
        case .receiptStatus where !(21_000...21_199).contains(code):
            throw ControlError.bad("bad_code", "A status of verifyReceipt must be 21000 to 21199.", path: "$.code")
        case .latency, .staleReads, .delay:
            guard rule.milliseconds != nil || rule.spread != nil else {
                let needed = rule.kind == .staleReads ? "milliseconds" : "milliseconds or spread"
                throw ControlError.bad(
                    "bad_fault",
                    "A fault of kind \(rule.kind.rawValue) needs \(needed).",
                    path: "$.milliseconds"
                )
            }
        default: break
        }
        if rule.kind == .staleReads, rule.share != nil || rule.limit != nil {
            throw ControlError.bad(
                "bad_fault",
                "staleReads hides new purchases from every call. Limit it to an app, a customer, a route or a time.",
                path: rule.share == nil ? "$.limit" : "$.percent"
            )
        }
        if rule.customer != nil, rule.kind.isOfNotifications {
            throw ControlError.bad(
                "bad_fault",
                "A notification fault cannot be limited to a customer. Remove customer.",
                path: "$.customer"
            )
        }
    }

    private func check(_ route: String, of kind: FaultRule.Kind) throws {
        if kind.isOfNotifications {
            let type = String(route.prefix { $0 != "/" })
            guard NotificationType(rawValue: type) != nil || VersionOneType(rawValue: type) != nil else {
                throw ControlError.bad(
                    "bad_route",
                    "\(route.prefix(64)) is not a notification type. Give one such as DID_RENEW, or EXPIRED/VOLUNTARY.",
                    path: "$.route"
                )
            }
        } else if route == RouteName.verifyReceipt ? !kind.isOfVerifyReceipt : kind == .receiptStatus {
            throw ControlError.bad(
                "bad_route",
                "\(kind.rawValue) is not possible on \(route.prefix(64)). verifyReceipt has status, receiptStatus, "
                    + "latency, cut and half. Only verifyReceipt has receiptStatus.",
                path: "$.route"
            )
        } else if !RouteName.all.contains(route) {
            throw ControlError.bad(
                "bad_route",
                "There is no route \(route.prefix(64)). Routes: \(RouteName.all.joined(separator: ", ")).",
                path: "$.route"
            )
        }
    }

    private static func json(_ standing: FaultRules.Standing) -> [UInt8] {
        let rule = standing.rule
        var json = JSONWriter()
        json.put("id", rule.id)
        json.put("kind", rule.kind.rawValue)
        json.put("realm", rule.environment.map { $0 == .production ? "production" : "sandbox" })
        json.put("bundleId", rule.app)
        json.put("route", rule.route)
        json.put("customer", rule.customer)
        json.put("percent", rule.share.map { Int(($0 * 100).rounded()) })
        json.put("limit", rule.limit)
        json.put("until", rule.until)
        json.put("code", rule.code)
        json.put("retryAfter", rule.retryAfter)
        json.put("milliseconds", rule.milliseconds)
        json.put("spread", rule.spread)
        json.put("perHour", rule.perHour)
        json.put("seed", Int64(clamping: rule.seed))
        json.put("seen", standing.seen)
        json.put("struck", standing.struck)
        return json.finish()
    }
}
