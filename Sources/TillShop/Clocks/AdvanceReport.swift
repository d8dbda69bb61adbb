import TillCore

/// The result of an advance.
package struct AdvanceReport: Equatable, Sendable {
    /// What the clock showed before the advance.
    package let from: Timestamp
    /// What the clock shows after the advance.
    package let to: Timestamp
    /// The number of accounts in which events were processed.
    package let accounts: Int
    /// The number of notifications for each type and subtype, sorted by name.
    package let notifications: [Count]
    /// The customers whose accounts are quarantined, because their events could not be processed.
    package let quarantine: [String]

    /// The number of notifications of one type and subtype.
    package struct Count: Equatable, Sendable {
        /// The type and subtype.
        package let notice: Notice
        /// The number of these notifications.
        package let count: Int
    }
}
