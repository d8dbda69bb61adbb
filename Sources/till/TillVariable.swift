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
}
