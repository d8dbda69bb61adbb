import TillControl
import TillCore
import TillShop

/// The answer to a change of settings, and the settings that changed.
struct ChangedSettings: Encodable, Sendable {
    let settings: SettingsInfo
    /// The names of the properties that changed.
    let changed: [String]

    /// Encodes the settings, as over HTTP.
    func encode(to encoder: any Encoder) throws { try settings.encode(to: encoder) }
}

/// What an answer contains, with the labels and words of the pages.
enum AnswerFacts {
    /// The values; nil for an answer whose values have the names of the contract.
    static func of(_ answer: ActionAnswer) -> [PageValue]? {
        switch answer {
        case let answer as ChangedSettings:
            let changes = EnvironmentSettingsForm.words(of: answer)
            return changes.isEmpty ? [["name": "Settings", "value": "unchanged"]] : changes
        case let answer as CustomerInfo:
            return rows([
                ("Storefront", answer.storefront.code), ("Payment method", Words.card(answer.card)),
                ("App downloaded", answer.hasAppTransaction ? "yes" : "no"), ("Clock", answer.clock),
            ])
        case let answer as FaultRuleInfo: return rows(facts(of: answer))
        case let answer as ClockInfo:
            return rows([
                ("Name", answer.name), ("Time", Words.instant(answer.now.milliseconds, withSeconds: true)),
                ("Mode", ClockCard.words(answer.mode, answer.speed)),
            ])
        case let answer as EndpointInfo:
            let types = answer.types.isEmpty ? "all" : answer.types.joined(separator: ", ")
            return rows([
                ("Name", answer.name), ("URL", answer.url), ("Notification types", types),
                ("Version", String(answer.version.rawValue)), ("Status", answer.paused == true ? "paused" : nil),
            ])
        case let answer as ResendInfo: return rows([("Deliveries to be sent again", String(answer.pending))])
        default: return nil
        }
    }

    private static func facts(of rule: FaultRuleInfo) -> [(String, String?)] {
        let kind = FaultKindForm.of(rule.kind)
        return [
            ("Rule", rule.id), ("Fault", kind.name + (rule.code.map { " \($0)" } ?? "")),
            ("Environment", rule.environment?.rawValue), ("App", rule.bundleId),
            (kind.isOfNotifications ? "Notification type" : "Route", rule.route), ("Endpoint", rule.endpoint),
            ("Customer", rule.customer), ("Probability", rule.percent.map { "\($0) %" }),
            ("Maximum number of hits", rule.limit.map { String($0) }),
            ("Active until", rule.until.map { Words.instant($0.milliseconds) }),
        ]
    }

    private static func rows(_ facts: [(String, String?)]) -> [PageValue] {
        facts.compactMap { name, value in value.map { ["name": name, "value": $0] } }
    }
}
