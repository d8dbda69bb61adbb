import Foundation

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
        "TILL_ISSUER_ID", "TILL_ROOT_PEM", "TILL_ROOT_DER", "TILL_TLS_ROOT",
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
