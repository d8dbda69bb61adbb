import Configuration
import Foundation
import SystemPackage
import TillJSON
import TillShop

/// Reads a setting from, in this order: the flag, the environment variable, the configuration file. Invalid values
/// are refused, so that a server never starts with other values than the given ones.
struct SettingsSource {
    private let reader: ConfigReader
    /// `TILL_CONTROL_TOKEN`, which has no flag and no key in the configuration file.
    let controlToken: String?

    /// Settings of the behavior, independent of the store. The temporary Till of `till exec` reads only these from the
    /// environment.
    private static let behavior: Set<String> = [
        "profile", "orderLookupInSandbox", "tokenChangeMovesHistory", "journalLength", "requestTimeout", "logLevel",
        "sandboxRate", "sandboxRenewalCap", "retriesInSandbox", "keepsAnchorDay", "keepsGraceDate",
        "commitmentsEverywhere", "extendsFirstPeriod", "extraFamilyNotifications", "refundWindowMinutes",
        "historyListsAll", "deliveryTimeout",
        "deliveryRoot", "endpointNetworks", "storefrontAskingConsent", "versionOneInSandbox", "journalAll",
        "journalBodies", "historyExtraDays", "signatureAge", "notificationDays",
    ]
    /// Settings of one server: its data, ports, names and permissions.
    private static let identity: Set<String> = [
        "data", "database", "ephemeral", "demo", "allowReset", "adoptRoot", "host", "productionPort", "sandboxPort",
        "controlAddress", "controlPort", "controlHost", "ocspUrl", "nodeName", "lease", "drain", "tlsPort", "tlsHost",
        "tlsName", "proxyPort",
    ]
    /// Every valid key of a configuration file.
    private static let keys = behavior.union(identity)

    /// The environment variables of ``behavior``.
    static let behaviorVariables = Set(behavior.map(variable))
    /// The variables of ``identity``, and those without a key in the configuration file.
    static let identityVariables = Set(identity.map(variable)).union(["TILL_CONFIG", "TILL_CONTROL_TOKEN"])

    /// The variable of a key: `controlPort` is `TILL_CONTROL_PORT`.
    private static func variable(_ key: String) -> String {
        "TILL_" + key.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }

    /// - Parameters:
    ///   - file: a JSON file; nil uses `TILL_CONFIG`.
    ///   - environment: the environment variables, none of Till's empty.
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
                "\(file) has the key \(member.key), which is no setting. Settings: "
                    + keys.sorted().joined(separator: ", ") + "."
            )
        }
    }

    /// A warning for each environment variable that begins with `TILL_` and has no meaning.
    static var unknownVariables: [String] {
        let settings = keys.map { variable($0) }.sorted()
        let known = identityVariables.union(settings).union(TillVariable.client).union(["TILL_REALM"])
        return TillVariable.environment.keys.filter { $0.hasPrefix("TILL_") && !known.contains($0) }.sorted().map {
            let nearest = nearest(to: $0, of: settings)
            return "The environment variable \($0) is not a setting and was ignored."
                + (nearest.map { " Did you mean \($0)?" } ?? "")
        }
    }

    /// The most similar name, if the edit distance is small.
    private static func nearest(to name: String, of names: [String]) -> String? {
        let all = names.map { (name: $0, distance: distance(Array(name), Array($0))) }
        return all.filter { $0.distance <= 3 }.min { $0.distance < $1.distance }?.name
    }

    /// The edit distance: inserted, deleted and replaced letters.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var row = Array(0...second.count)
        for (place, letter) in first.enumerated() {
            var next = [place + 1]
            for (other, column) in zip(second, second.indices) {
                let replaced = row[column] + (letter == other ? 0 : 1)
                next.append(min(replaced, row[column + 1] + 1, next[column] + 1))
            }
            row = next
        }
        return row[second.count]
    }

    func text(_ flag: String?, _ key: String) -> String? { flag ?? reader.string(forKey: ConfigKey(key)) }

    func number(_ flag: Int?, _ key: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
        try number(flag, key, in: range) ?? standard
    }

    /// A number without a default value.
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

    /// Throws when the setting exists but could not be parsed.
    private func refuse(_ key: String, _ expected: String) throws {
        let name = ConfigKey(key)
        let found: String? =
            reader.string(forKey: name) ?? reader.int(forKey: name).map(String.init)
            ?? reader.bool(forKey: name).map(String.init)
        if let found { throw CommandRefused("\(key) is \"\(found.prefix(64))\"; it must be \(expected).") }
    }
}
