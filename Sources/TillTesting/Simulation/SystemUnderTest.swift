import TillCore

/// A shop in which a simulated life can be lived, whatever keeps it: the rules alone, or a whole shop on an engine.
///
/// Clocks stand still between two calls. The customers exist already.
package protocol SystemUnderTest: Sendable {
    /// Lets time pass up to an instant that is not earlier than the present.
    ///
    /// - Parameter customer: whom the next act is about; nil for everybody. Only this customer and their family must
    ///   have come to the instant; others may lag behind until they are named or everybody is.
    mutating func advance(to instant: Timestamp, for customer: String?) async throws

    /// Does something now.
    ///
    /// - Returns: why it was refused; nil when it was done.
    mutating func perform(_ operation: Operation) async throws -> Refusal?

    /// The world as it stands.
    func observe() async throws -> Observation

    /// What was tried so far to deliver each customer's notifications, by the customer's name, in the order of the
    /// notifications. Waits until everything that is due has been tried; empty where nothing is delivered.
    func attempts() async throws -> [String: [NotificationAttempts]]
}

extension SystemUnderTest {
    package func attempts() async throws -> [String: [NotificationAttempts]] { [:] }
}

/// The attempts to deliver a notification, without how long they took.
package struct NotificationAttempts: Equatable, Sendable {
    /// One attempt.
    package struct Attempt: Equatable, Sendable {
        /// By the shop's clock.
        package let date: Timestamp
        /// How it ended.
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

/// All that can be seen of a shop.
package struct Observation: Sendable {
    /// By the customer's name.
    package var accounts: [String: Account]
    /// Every row of every customer, as it stands.
    package var rows: [TransactionID: Transaction]
    /// In the order in which they came about; what was seen before stays at the front.
    package var notifications: [Notification]
    /// What is for sale.
    package var catalog: Catalog
    /// The choices of the environment.
    package var policy: Policy
    /// The shop's time.
    package var now: Timestamp
    /// What the world itself finds wrong with itself: a sentence each.
    package var complaints: [String]

    /// A shop as it was seen.
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
