import TillServer
import TillShop

/// Where an environment's notifications go, and the rules that hold in it, as `{{>settings}}` shows them on the
/// environment's page.
enum EnvironmentSettings {
    static func value(_ page: PageRequest) async throws -> PageValue {
        let endpoints = try await page.ask("listEndpoints")["endpoints"]?.elements ?? []
        let rules = try await page.ask("getRules")
        return [
            "endpoints": .list(endpoints.prefix(ShownPart.most).map { endpoint($0, page) }),
            "hasEndpoints": .flag(!endpoints.isEmpty),
            "setEndpoint": ActForm(
                "setEndpoint",
                "Set",
                [
                    .init("path.endpoint", "Name", value: "primary", help: "Apple’s routes tell of primary."),
                    .init("url", "Address", hint: "https://example.com/apple"),
                    .init("types", "Only these, one a line", hint: "DID_RENEW"),
                    .init("version", "Version", .choice([("", "2"), ("1", "1")])),
                ]
            ).value(page),
            "test": ActForm("requestTestNotification", "Send a TEST").value(page),
            "rules": .list(shown(rules)), "setRules": form(rules).value(page),
        ]
    }

    private static func endpoint(_ endpoint: JSONTree, _ page: PageRequest) -> PageValue {
        let name = endpoint["name"]?.text ?? ""
        let types = (endpoint["types"]?.elements ?? []).compactMap(\.text)
        let remove = ActForm(
            "removeEndpoint",
            "Remove",
            parameters: ["endpoint": name],
            name: name,
            isGrave: true,
            confirmation: "Drop what is owed to it"
        )
        return [
            "name": .text(name), "url": PageValue(endpoint["url"]?.text),
            "version": PageValue(endpoint["version"]?.text),
            "types": .list(types.prefix(ShownPart.most).map { .text($0) }),
            // Who listens goes away by itself.
            "remove": name == "listen" ? .nothing : remove.value(page),
        ]
    }

    private static func shown(_ rules: JSONTree) -> [PageValue] {
        let grace = rules["grace"]
        let coverage = grace?["coverage"]?.text.map { $0 == "PAID_TO_PAID_ONLY" ? ", paid to paid only" : "" } ?? ""
        let rows: [(name: String, value: String)] = [
            ("Length of a month", rules["rate"]?.text ?? ""),
            ("Grace period", grace?["days"]?.text.map { "\($0) days\(coverage)" } ?? "none"),
            ("Who decides on refunds", Words.plain(rules["refundRule"]?.text ?? "")),
            ("Released", rules["released"]?.isTrue == true ? "yes" : "no: production answers 401"),
            ("Weather", rules["weather"]?.text ?? ""),
            ("Purchase without a price", Words.plain(rules["missingPrice"]?.text ?? "")),
        ]
        return rows.map { ["name": .text($0.name), "value": .text($0.value)] }
    }

    private static func form(_ rules: JSONTree) -> ActForm {
        let released: [(value: String, name: String)] = [("", "–"), ("true", "Yes"), ("false", "No")]
        let days: [(value: String, name: String)] = [
            ("", "–"), ("0", "None"), ("3", "3 days"), ("16", "16 days"), ("28", "28 days"),
        ]
        return ActForm(
            "setRules",
            "Change",
            [
                .init("rate", "Length of a month"), .init("grace.days", "Grace period", .choice(days)),
                .init("grace.coverage", "Which renewals it covers"),
                .init("refundRule", "Who decides on refunds"), .init("released", "Released", .choice(released)),
                .init("weather", "Weather", hint: "fair, sparse, tomorrow, version:1.8"),
                .init("missingPrice", "Purchase without a price"),
            ]
        )
    }
}
