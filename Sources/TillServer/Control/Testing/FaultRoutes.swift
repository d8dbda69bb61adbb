import TillControl
import TillCore
import TillShop

/// Operations on fault rules.
extension ControlAPI {
    var faultRoutes: [ControlRoute] {
        [
            ControlRoute(ListFaults.self) { _ in shop.faults.all.map { FaultRuleInfo($0) } },
            ControlRoute(AddFault.self) { call in
                let added = try await shop.exclusively("faults") { try await shop.faults.add(try rule(call.request)) }
                guard let added else {
                    throw ControlError.conflict(
                        "too_many_faults",
                        "There are already \(FaultRules.limit) rules. Remove one with till fault delete."
                    )
                }
                return FaultRuleInfo(FaultRules.Standing(rule: added))
            },
            ControlRoute(RemoveFaults.self) { call in
                let removed = try await shop.faults.remove(call.faultId, of: call.bundleId)
                if let id = call.faultId, removed == 0 {
                    throw ControlError.notFound(
                        "unknown_fault",
                        "There is no fault rule \(id.prefix(64)). List them with till fault list."
                    )
                }
                return NoAnswer()
            },
        ]
    }

    private func rule(_ request: AddFault) throws -> FaultRule {
        let seed = request.seed.map { UInt64($0) } ?? UInt64.random(in: 0...UInt64(Int64.max))
        var rule = FaultRule(id: "", kind: request.kind, seed: seed)
        rule.environment = request.environment
        rule.app = request.bundleId
        rule.route = request.route
        rule.endpoint = request.endpoint
        rule.customer = request.customer
        rule.share = request.percent.map { Double($0) / 100 }
        rule.limit = request.limit
        rule.until = request.until
        rule.code = request.code
        rule.retryAfter = request.retryAfter
        // Without a next notification of the subscription, the notification must arrive some time.
        rule.milliseconds = request.milliseconds ?? (request.kind == .reorder ? 60_000 : nil)
        rule.spread = request.spread
        rule.perHour = request.perHour
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
        case .status where !FaultValues.statuses.contains(code):
            throw ControlError.bad("bad_code", "A status must be 500 to 599.", path: "$.code")
        case .receiptStatus where !FaultValues.receiptStatuses.contains(code):
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
        if rule.endpoint != nil, !rule.kind.isOfNotifications {
            throw ControlError.bad(
                "bad_fault",
                "Only a notification fault (drop, delay, duplicate, reorder) can be limited to an endpoint.",
                path: "$.endpoint"
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

    private func check(_ route: String, of kind: FaultKind) throws {
        if kind.isOfNotifications {
            guard FaultValues.isNotificationType(route) else {
                throw ControlError.bad(
                    "bad_route",
                    "\(route.prefix(64)) is not a notification type. Give one such as DID_RENEW, or EXPIRED/VOLUNTARY.",
                    path: "$.route"
                )
            }
        } else if RouteName.all.contains(route), !FaultValues.routes(of: kind).contains(route) {
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
}

extension FaultRuleInfo {
    init(_ standing: FaultRules.Standing) {
        let rule = standing.rule
        self.init(
            id: rule.id,
            kind: rule.kind,
            environment: rule.environment,
            bundleId: rule.app,
            route: rule.route,
            endpoint: rule.endpoint,
            customer: rule.customer,
            percent: rule.share.map { Int(($0 * 100).rounded()) },
            limit: rule.limit,
            until: rule.until,
            code: rule.code,
            retryAfter: rule.retryAfter,
            milliseconds: rule.milliseconds,
            spread: rule.spread,
            perHour: rule.perHour,
            seed: Int64(clamping: rule.seed),
            seen: standing.seen,
            struck: standing.struck
        )
    }
}
