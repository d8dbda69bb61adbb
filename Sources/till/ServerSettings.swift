import Configuration
import Foundation
import SystemPackage

/// Where a setting may come from, in this order: the flag, the environment variable, the configuration file.
struct SettingsSource {
    private let reader: ConfigReader

    /// - Parameter file: a JSON file; a missing one is refused only when it was named.
    init(file: String?) async throws {
        var providers: [any ConfigProvider] = [EnvironmentVariablesProvider().prefixKeys(with: "till")]
        if let file = file ?? ProcessInfo.processInfo.environment["TILL_CONFIG"] {
            providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
        }
        reader = ConfigReader(providers: providers)
    }

    func text(_ flag: String?, _ key: String) -> String? { flag ?? reader.string(forKey: ConfigKey(key)) }
    func number(_ flag: Int?, _ key: String, default standard: Int) -> Int {
        flag ?? reader.int(forKey: ConfigKey(key), default: standard)
    }
    func choice(_ flag: Bool?, _ key: String) -> Bool? { flag ?? reader.bool(forKey: ConfigKey(key)) }
    func flag(_ flag: Bool, _ key: String) -> Bool { flag || reader.bool(forKey: ConfigKey(key), default: false) }
    func texts(_ flags: [String], _ key: String) -> [String] {
        flags.isEmpty ? reader.stringArray(forKey: ConfigKey(key), default: []) : flags
    }
}
