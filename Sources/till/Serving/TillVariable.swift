import Foundation

/// Environment variables whose names begin with `TILL_`. An empty one counts as unset, because that is what a shell or
/// a Compose file leaves behind when a value is missing.
enum TillVariable {
    /// The value of a variable; nil when it is unset or empty.
    static func text(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["TILL_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The environment without variables of Till's that are empty.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TILL_") || !$0.value.isEmpty }
    }

    /// What `till exec` and the other commands read to find a server, an app or a key, and what `till exec` sets.
    static let client: Set<String> = [
        "TILL_CONTROL", "TILL_PRODUCTION", "TILL_SANDBOX", "TILL_APP", "TILL_APP_APPLE_ID", "TILL_KEY", "TILL_KEY_ID",
        "TILL_ISSUER_ID", "TILL_ROOT_PEM", "TILL_ROOT_DER", "TILL_TLS_ROOT",
    ]

    /// The environment for a server of its own: of the variables of Till, only those that say how a server behaves.
    /// An allow-list, so that no variable can lead this server to the data of another one.
    static var environmentForNewServer: [String: String] {
        environment.filter { !$0.key.hasPrefix("TILL_") || SettingsSource.behaviorVariables.contains($0.key) }
    }

    /// The environment without the variables that name a server, its data, its tokens or its keys. Variables that
    /// begin with `TILL_` and are unknown to Till stay.
    static var environmentWithoutServer: [String: String] {
        ProcessInfo.processInfo.environment.filter {
            !client.contains($0.key) && !SettingsSource.identityVariables.contains($0.key)
        }
    }
}
