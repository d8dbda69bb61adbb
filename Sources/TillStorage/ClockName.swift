import TillCore

/// A clock: that of an app's environment, or one on which single customers live so that tests do not disturb each
/// other.
package struct ClockName: Hashable, Sendable {
    /// The app and the environment.
    package let scope: AccountScope
    /// Nil is the clock of the environment itself.
    package let own: String?

    /// A clock of an app's environment.
    package init(_ scope: AccountScope, own: String? = nil) {
        self.scope = scope
        self.own = own
    }

    /// As engines keep it: empty for the environment's own.
    package var key: String { own ?? "" }
}

extension Account {
    /// The clock by which the customer lives.
    package var clockName: ClockName { ClockName(AccountScope(environment: environment, app: app), own: clock) }
}
