import TillCore

/// A clock: the clock of an app's environment, or a separate clock for some customers. With separate clocks, tests do
/// not affect each other.
package struct ClockName: Hashable, Sendable {
    /// The app and the environment.
    package let scope: AccountScope
    /// The name of a separate clock; nil for the clock of the environment.
    package let own: String?

    /// A clock of an app's environment.
    package init(_ scope: AccountScope, own: String? = nil) {
        self.scope = scope
        self.own = own
    }

    /// The stored form of the name; empty for the clock of the environment.
    package var key: String { own ?? "" }
}

extension Account {
    /// The customer's clock.
    package var clockName: ClockName { ClockName(scope, own: clock) }
}
