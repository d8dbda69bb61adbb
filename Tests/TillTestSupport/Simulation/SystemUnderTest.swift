import TillCore

/// A shop that can run a workload: the rules of TillCore alone, or a complete `Shop` with a database.
/// Its clocks do not move between two calls, and its customers exist from the start.
package protocol SystemUnderTest: Sendable {
    /// Advances the clock to an instant that is not earlier than the present time.
    ///
    /// - Parameter customer: The customer of the next operation; nil for all customers. Only this customer's family
    ///   must reach the instant. The others may stay behind until a later call names them or passes nil.
    mutating func advance(to instant: Timestamp, for customer: String?) async throws

    /// Runs an operation at the present time.
    ///
    /// - Returns: The reason for the refusal; nil if the operation was done.
    mutating func perform(_ operation: Operation) async throws -> Refusal?

    /// Returns the present state.
    func observe() async throws -> Observation

    /// Returns the delivery attempts so far, by the customer's name, in the order of the notifications. Waits until
    /// every attempt that is due was made. The result is empty if the system delivers nothing.
    func attempts() async throws -> [String: [NotificationAttempts]]
}

extension SystemUnderTest {
    package func attempts() async throws -> [String: [NotificationAttempts]] { [:] }
}

/// The attempts to deliver one notification, without their durations.
package struct NotificationAttempts: Equatable, Sendable {
    /// One delivery attempt.
    package struct Attempt: Equatable, Sendable {
        /// The date of the attempt, on the shop's clock.
        package let date: Timestamp
        /// The result, as in Apple's notification history.
        package let result: SendAttemptResult
        /// The HTTP status of the answer; nil without an answer.
        package let status: Int?
    }

    /// The type and subtype of the notification.
    package let words: String
    /// The attempts, oldest first.
    package let attempts: [Attempt]
    /// The time at which the next attempt is due; nil if there will be none.
    package let next: Timestamp?

    /// Reads the attempts of a stored delivery.
    package init(words: String, attempts: [SendAttempt], next: Timestamp?) {
        self.words = words
        self.attempts = attempts.map { Attempt(date: $0.date, result: $0.result, status: $0.status) }
        self.next = next
    }
}

/// The complete observable state of a shop.
package struct Observation: Sendable {
    /// The accounts, by the customer's name.
    package var accounts: [String: Account]
    /// The transactions of all customers, in their present state.
    package var rows: [TransactionID: Transaction]
    /// The notifications, oldest first. A later observation begins with the same notifications.
    package var notifications: [Notification]
    /// The products for sale.
    package var catalog: Catalog
    /// The policy of the environment.
    package var policy: Policy
    /// The time on the shop's clock.
    package var now: Timestamp
    /// Errors that the system found in itself, one sentence each.
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
