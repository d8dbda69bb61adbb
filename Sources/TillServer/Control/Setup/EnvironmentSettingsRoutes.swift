import TillControl
import TillCore
import TillShop
import TillStorage

/// Operations on the settings of an app's environment.
extension ControlAPI {
    var settingsRoutes: [ControlRoute] {
        [
            ControlRoute(GetSettings.self) { settings(of: try $0.scope()) },
            ControlRoute(UpdateSettings.self) { try await updateSettings($0) },
        ]
    }

    private func updateSettings(_ call: ControlCall<UpdateSettings>) async throws -> SettingsInfo {
        let scope = try call.scope()
        // A shorter month would move production's subscriptions ahead of real time.
        if case .custom(let rate)? = call.rate, rate != .calendar { try shop.settings.checkMayMove(ClockName(scope)) }
        let grace = try call.grace.map(Self.grace)
        let payloadProfile = try call.payloadProfile.map(Self.payloadProfile)
        try await shop.setup.updateRules(of: scope) { settings in
            switch call.rate {
            case .serverDefault?: settings.rate = nil
            case .custom(let rate)?: settings.rate = rate
            case nil: break
            }
            if let grace { settings.grace = grace }
            if let refundRule = call.refundRule { settings.refundRule = refundRule }
            if let released = call.released { settings.isReleased = released ? nil : false }
            if let payloadProfile { settings.payloadProfile = payloadProfile }
            if let missingPrice = call.missingPrice { settings.missingPrice = missingPrice }
        }
        return settings(of: scope)
    }

    /// The grace period of a request; nil for no grace period.
    private static func grace(_ grace: GracePeriodInfo) throws -> GracePeriod? {
        guard grace.days > 0 else { return nil }
        guard GracePeriod.lengths.contains(grace.days) else {
            throw ControlError.bad(
                "bad_grace",
                "A grace period must have 3, 16 or 28 days; 0 means none.",
                path: "$.grace.days"
            )
        }
        return GracePeriod(days: grace.days, coverage: grace.coverage ?? .allRenewals)
    }

    /// The payload profile with a name; nil for the default profile, `fair`.
    private static func payloadProfile(_ words: String) throws -> PayloadProfile? {
        guard words != PayloadProfile.defaultWords else { return nil }
        guard let payloadProfile = PayloadProfile(words: words) else {
            throw ControlError.bad(
                "bad_payload_profile",
                "The payload profile must be fair, sparse, tomorrow, tomorrow:SEED, or version:1.0 to version:1."
                    + "\(PayloadProfile.newestVersion).",
                path: "$.payloadProfile"
            )
        }
        return payloadProfile
    }

    private func settings(of scope: AccountScope) -> SettingsInfo {
        let policy = shop.registry.policy(of: scope)
        return SettingsInfo(
            rate: policy.rate,
            grace: policy.grace.map { GracePeriodInfo(days: $0.days, coverage: $0.coverage) },
            refundRule: policy.refundRule,
            released: shop.registry.rules(of: scope).isReleased ?? true,
            payloadProfile: shop.registry.payloadProfile(of: scope)?.words ?? PayloadProfile.defaultWords,
            missingPrice: policy.missingPrice
        )
    }
}
