import ArgumentParser
import Configuration
import Foundation
import SystemPackage
import TillJSON
import TillShop

/// Reads settings. A flag takes precedence over an environment variable, and this over the configuration file. Invalid
/// values are refused, so that a server never starts with values other than those given.
struct SettingsSource {
    private let reader: ConfigReader
    /// The values of the flags that were given, by key.
    private let flags: [String: Any]
    /// The value of `TILL_CONTROL_TOKEN`, which has no flag and no key in the configuration file.
    let controlToken: String?

    /// The settings that change how the store behaves. Of all `TILL_` variables, the temporary Till of `till exec`
    /// reads only those for these settings.
    private static let behavior = keys(of: ShopChoices()).subtracting(["allowReset", "productionGuard"])
        .union(["profile", "requestTimeout", "logLevel", "logFormat"])
    /// The settings that belong to one server: its data, ports, names and permissions.
    private static let identity = keys.subtracting(behavior)
    /// Every key that a configuration file may have.
    private static let keys =
        keys(of: StartOptions()).subtracting(["config", "readyFile", "json"]).union(keys(of: AddressOptions()))
        .union(keys(of: SecureOptions())).union(keys(of: NodeOptions())).union(keys(of: ShopChoices()))

    /// The environment variables for the settings in ``behavior``.
    static let behaviorVariables = Set(behavior.map(variable))
    /// The environment variables for the settings in ``identity``, and those without a key in the configuration file.
    static let identityVariables = Set(identity.map(variable)).union(["TILL_CONFIG", "TILL_CONTROL_TOKEN"])

    /// The environment variable of a key: `TILL_CONTROL_PORT` for `controlPort`.
    private static func variable(_ key: String) -> String {
        "TILL_" + key.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }

    /// The property wrappers of a group of options, by the names of the properties.
    private static func wrappers(of group: any ParsableArguments) -> [(key: String, value: Any)] {
        // The stored property of a wrapped property has an underscore before its name.
        Mirror(reflecting: group).children.map { (String($0.label?.dropFirst() ?? ""), $0.value) }
    }

    private static func keys(of group: any ParsableArguments) -> Set<String> { Set(wrappers(of: group).map(\.key)) }

    /// - Parameters:
    ///   - groups: the parsed options whose names are keys of settings.
    ///   - file: the configuration file, in JSON; nil for the file in `TILL_CONFIG`.
    ///   - environment: the environment variables, without empty `TILL_` variables.
    init(
        _ groups: [any ParsableArguments] = [],
        file: String? = nil,
        environment: [String: String] = TillVariable.environment
    ) async throws {
        var flags: [String: Any] = [:]
        for (key, wrapper) in groups.flatMap(Self.wrappers) {
            switch wrapper {
            case let option as Option<String?>: flags[key] = option.wrappedValue
            case let option as Option<Int?>: flags[key] = option.wrappedValue
            case let option as Option<Bool?>: flags[key] = option.wrappedValue
            case let option as Option<[String]> where !option.wrappedValue.isEmpty: flags[key] = option.wrappedValue
            case let flag as Flag<Bool> where flag.wrappedValue: flags[key] = true
            default: break
            }
        }
        self.flags = flags
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

    func text(_ key: String) -> String? { flags[key] as? String ?? reader.string(forKey: ConfigKey(key)) }

    func texts(_ key: String) -> [String] {
        flags[key] as? [String] ?? reader.stringArray(forKey: ConfigKey(key), default: [])
    }

    func port(_ key: String) throws -> Int? { try number(key, in: 0...65_535) }

    func number(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let number = flags[key] as? Int ?? reader.int(forKey: ConfigKey(key)) else {
            try refuse(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        guard range.contains(number) else {
            throw CommandRefused("\(key) is \(number); it must be from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func choice(_ key: String) throws -> Bool? {
        if let choice = flags[key] as? Bool ?? reader.bool(forKey: ConfigKey(key)) { return choice }
        try refuse(key, "true or false")
        return nil
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

/// Environment variables whose names begin with `TILL_`. An empty variable counts as unset, because shells and Compose
/// files pass an empty variable for a missing value.
enum TillVariable {
    /// The value of a variable; nil when it is unset or empty.
    static func text(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["TILL_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The environment variables of this process, without empty `TILL_` variables.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TILL_") || !$0.value.isEmpty }
    }

    /// The variables with which commands find a server, an app or a key, and the variables that `till exec` sets.
    static let client: Set<String> = [
        "TILL_CONTROL", "TILL_PRODUCTION", "TILL_SANDBOX", "TILL_APP", "TILL_APP_APPLE_ID", "TILL_KEY", "TILL_KEY_ID",
        "TILL_ISSUER_ID", "TILL_ROOT_PEM", "TILL_ROOT_DER", "TILL_TLS_ROOT", "TILL_APPLE_KEY", "TILL_APPLE_KEY_ID",
        "TILL_APPLE_ISSUER", "TILL_APPLE_BUNDLE", "TILL_APPLE_URL", "TILL_APPLE_ENVIRONMENT", "TILL_APPLE_SECRET",
    ]

    /// The environment variables for a temporary server. Of Till's variables, only those that change the behavior are
    /// passed on, so that no variable can give this server the data of another server.
    static var environmentForNewServer: [String: String] {
        environment.filter { !$0.key.hasPrefix("TILL_") || SettingsSource.behaviorVariables.contains($0.key) }
    }

    /// The environment variables without those that name a server, its data, its tokens or its keys. Unknown `TILL_`
    /// variables are passed on.
    static var environmentWithoutServer: [String: String] {
        ProcessInfo.processInfo.environment.filter {
            !client.contains($0.key) && !SettingsSource.identityVariables.contains($0.key)
        }
    }
}
