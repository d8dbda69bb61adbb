import TillCore

/// A shop that can run a workload: the rules alone, or a complete shop on an engine.
/// Clocks do not move between two calls. The customers exist already.
package protocol SystemUnderTest: Sendable {
    /// Advances the time to an instant that is not earlier than the present.
    ///
    /// - Parameter customer: the customer of the next operation; nil for all. Only this customer and their family must
    ///   reach the instant; others may stay behind until a later call names them or all.
    mutating func advance(to instant: Timestamp, for customer: String?) async throws

    /// Runs an operation now.
    ///
    /// - Returns: why it was refused; nil when it was done.
    mutating func perform(_ operation: Operation) async throws -> Refusal?

    /// The present state.
    func observe() async throws -> Observation

    /// The delivery attempts so far, by the customer's name, in the order of the notifications. Waits until everything
    /// that is due has been tried; empty where nothing is delivered.
    func attempts() async throws -> [String: [NotificationAttempts]]
}

extension SystemUnderTest {
    package func attempts() async throws -> [String: [NotificationAttempts]] { [:] }
}

/// The attempts to deliver a notification, without their duration.
package struct NotificationAttempts: Equatable, Sendable {
    /// One attempt.
    package struct Attempt: Equatable, Sendable {
        /// By the shop's clock.
        package let date: Timestamp
        /// The result.
        package let result: SendAttemptResult
        /// The HTTP status; nil without an answer.
        package let status: Int?
    }

    /// Type and subtype.
    package let words: String
    /// Oldest first.
    package let attempts: [Attempt]
    /// When the next attempt is due; nil when there will be none.
    package let next: Timestamp?

    /// The attempts of a delivery.
    package init(words: String, attempts: [SendAttempt], next: Timestamp?) {
        self.words = words
        self.attempts = attempts.map { Attempt(date: $0.date, result: $0.result, status: $0.status) }
        self.next = next
    }
}

/// The complete observable state of a shop.
package struct Observation: Sendable {
    /// By the customer's name.
    package var accounts: [String: Account]
    /// Every row of every customer, in its current state.
    package var rows: [TransactionID: Transaction]
    /// In the order of creation; earlier elements stay at the front.
    package var notifications: [Notification]
    /// The products for sale.
    package var catalog: Catalog
    /// The settings of the environment.
    package var policy: Policy
    /// The shop's time.
    package var now: Timestamp
    /// Problems that the system reports about itself: a sentence each.
    package var complaints: [String]

    /// An observed state.
    package init(
        accounts: [String: Account],
        rows: [TransactionID: Transaction],
        notifications: [Notification],
        catalog: Catalog,
        policy: Policy,
        now: Timestamp,
        complaints: [String] = []
    ) {
        self.accounts = accounts
        self.rows = rows
        self.notifications = notifications
        self.catalog = catalog
        self.policy = policy
        self.now = now
        self.complaints = complaints
    }
}
