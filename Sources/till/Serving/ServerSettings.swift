import Configuration
import Foundation
import SystemPackage
import TillJSON
import TillShop

/// Reads settings. A flag takes precedence over an environment variable, and this over the configuration file. Invalid
/// values are refused, so that a server never starts with values other than those given.
struct SettingsSource {
    private let reader: ConfigReader
    /// The value of `TILL_CONTROL_TOKEN`, which has no flag and no key in the configuration file.
    let controlToken: String?

    /// The settings that change how the store behaves. Of all `TILL_` variables, the temporary Till of `till exec`
    /// reads only those for these settings.
    private static let behavior: Set<String> = [
        "profile", "orderLookupInSandbox", "tokenChangeMovesHistory", "requestLogLength", "requestTimeout", "logLevel",
        "sandboxRate", "sandboxRenewalCap", "retriesInSandbox", "keepsAnchorDay", "keepsGraceDate",
        "commitmentsEverywhere", "extendsFirstPeriod", "extraFamilyNotifications", "refundWindowMinutes",
        "historyListsAll", "deliveryTimeout",
        "deliveryRoot", "endpointNetworks", "storefrontAskingConsent", "versionOneInSandbox", "requestLogAll",
        "requestLogBodies", "historyExtraDays", "signatureAge", "notificationDays",
        "auditDays", "auditReads",
    ]
    /// The settings that belong to one server: its data, ports, names and permissions.
    private static let identity: Set<String> = [
        "data", "database", "ephemeral", "demo", "allowReset", "productionGuard", "adoptRoot", "host", "productionPort",
        "sandboxPort",
        "controlAddress", "controlPort", "controlHost", "ocspUrl", "nodeName", "lease", "drain", "tlsPort", "tlsHost",
        "tlsName", "proxyPort",
    ]
    /// Every key that a configuration file may have.
    private static let keys = behavior.union(identity)

    /// The environment variables for the settings in ``behavior``.
    static let behaviorVariables = Set(behavior.map(variable))
    /// The environment variables for the settings in ``identity``, and those without a key in the configuration file.
    static let identityVariables = Set(identity.map(variable)).union(["TILL_CONFIG", "TILL_CONTROL_TOKEN"])

    /// The environment variable of a key: `TILL_CONTROL_PORT` for `controlPort`.
    private static func variable(_ key: String) -> String {
        "TILL_" + key.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }

    /// - Parameters:
    ///   - file: the configuration file, in JSON; nil for the file in `TILL_CONFIG`.
    ///   - environment: the environment variables, without empty `TILL_` variables.
    init(file: String? = nil, environment: [String: String] = TillVariable.environment) async throws {
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "till")
        ]
        controlToken = environment["TILL_CONTROL_TOKEN"]
        if let file = file ?? environment["TILL_CONFIG"] {
            try Self.check(file)
            providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
        }
        reader = ConfigReader(providers: providers)
    }

    private static func check(_ file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandRefused("The configuration file \(file) cannot be read.")
        }
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(Array(data))
        } catch {
            throw CommandRefused("The configuration file \(file) is not JSON: \(error.faults[0])")
        }
        guard case .object(let members) = tree else {
            throw CommandRefused("The configuration file \(file) is not a JSON object.")
        }
        for member in members where member.value.text == "" {
            throw CommandRefused("\(file) has an empty \(member.key). Give it a value, or remove it.")
        }
        for member in members where !keys.contains(member.key) {
            throw CommandRefused(
                "\(file) has the key \(member.key), which is not a setting. Settings: "
                    + keys.sorted().joined(separator: ", ") + "."
            )
        }
    }

    /// A warning for each `TILL_` variable in the environment that is not a setting.
    static var unknownVariables: [String] {
        let settings = keys.map { variable($0) }.sorted()
        let known = identityVariables.union(settings).union(TillVariable.client).union(["TILL_ENVIRONMENT"])
        return TillVariable.environment.keys.filter { $0.hasPrefix("TILL_") && !known.contains($0) }.sorted().map {
            let nearest = nearest(to: $0, of: settings)
            return "The environment variable \($0) is not a setting and was ignored."
                + (nearest.map { " Did you mean \($0)?" } ?? "")
        }
    }

    /// The name that is most similar to a misspelt name; nil if none has a small edit distance.
    private static func nearest(to name: String, of names: [String]) -> String? {
        let all = names.map { (name: $0, distance: CommandWords.distance(name, $0)) }
        return all.filter { $0.distance <= 3 }.min { $0.distance < $1.distance }?.name
    }

    func text(_ flag: String?, _ key: String) -> String? { flag ?? reader.string(forKey: ConfigKey(key)) }

    func number(_ flag: Int?, _ key: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
        try number(flag, key, in: range) ?? standard
    }

    /// The value of a number setting that has no default value.
    func number(_ flag: Int?, _ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let number = flag ?? reader.int(forKey: ConfigKey(key)) else {
            try refuse(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        guard range.contains(number) else {
            throw CommandRefused("\(key) is \(number); it must be from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func choice(_ flag: Bool?, _ key: String) throws -> Bool? {
        if let choice = flag ?? reader.bool(forKey: ConfigKey(key)) { return choice }
        try refuse(key, "true or false")
        return nil
    }

    func texts(_ flags: [String], _ key: String) -> [String] {
        flags.isEmpty ? reader.stringArray(forKey: ConfigKey(key), default: []) : flags
    }

    /// Refuses a setting whose value could not be parsed.
    private func refuse(_ key: String, _ expected: String) throws {
        let name = ConfigKey(key)
        let found: String? =
            reader.string(forKey: name) ?? reader.int(forKey: name).map(String.init)
            ?? reader.bool(forKey: name).map(String.init)
        if let found { throw CommandRefused("\(key) is \"\(found.prefix(64))\"; it must be \(expected).") }
    }
}
