import TillControl
import TillJSON
import TillServer

/// The events and notifications that an action caused.
struct EffectsOfAction: Sendable {
    let events: [EventName]
    /// The types of the notifications, with their subtypes after a slash.
    let notifications: [String]
    /// The transaction after the action; nil for an action on a customer.
    let transaction: TransactionInfo?
    /// The customer of the action.
    let customer: String?

    /// The effects in an answer; nil for the answer of an operation that reports none.
    init?(_ answer: OperationAnswer) {
        guard case .declared(let declared) = answer, let answer = declared as? any EffectsAnswer else { return nil }
        events = answer.events
        notifications = answer.notifications
        transaction = answer.transactionAfter
        customer = answer.customerAfter
    }

    /// Whether the customer was charged.
    var isSale: Bool { events.contains { Self.sales.contains($0) } }

    private static let sales: Set<EventName> = [.charged, .subscribed, .resubscribed, .renewed, .recovered, .upgraded]

    /// The customer that an answer is about; nil if it is not about one customer.
    static func customer(of answer: OperationAnswer) -> String? {
        switch answer {
        case .declared(let answer as any EffectsAnswer): answer.customerAfter
        case .declared(let answer as CustomerInfo): answer.customer
        case .declared: nil
        case .undeclared(let tree): tree["customer"]?.text
        }
    }
}

/// An answer that reports the effects of an operation.
private protocol EffectsAnswer: Sendable {
    var events: [EventName] { get }
    var notifications: [String] { get }
    /// The transaction after the operation.
    var transactionAfter: TransactionInfo? { get }
    /// The customer of the operation.
    var customerAfter: String? { get }
}

extension ActionInfo: EffectsAnswer {
    fileprivate var transactionAfter: TransactionInfo? { transaction }
    fileprivate var customerAfter: String? { transaction.customer }
}

extension PurchaseInfo: EffectsAnswer {
    fileprivate var transactionAfter: TransactionInfo? { transaction }
    fileprivate var customerAfter: String? { customer }
}

extension CustomerChange: EffectsAnswer {
    fileprivate var transactionAfter: TransactionInfo? { nil }
    fileprivate var customerAfter: String? { customer.customer }
}

extension FamilyChange: EffectsAnswer {
    fileprivate var transactionAfter: TransactionInfo? { nil }
    fileprivate var customerAfter: String? { nil }
}

extension EffectsInfo: EffectsAnswer {
    fileprivate var transactionAfter: TransactionInfo? { nil }
    fileprivate var customerAfter: String? { customer }
}
