/// A notification to the developer's server. The rules create it; other modules sign and send it.
///
/// The transaction and the renewal info have the state of the event, even if they change later.
package struct Notification: Equatable, Sendable {
    /// The customer's reason for a refund request; only for `CONSUMPTION_REQUEST`.
    package let consumptionRequestReason: ConsumptionRequestReason?
    /// `notificationType`.
    package let type: NotificationType
    /// `subtype`; nil for a type without one.
    package let subtype: NotificationSubtype?
    /// The customer's account.
    package let account: AccountID
    /// The position in the account's notifications, from 1. The account and this number identify the notification.
    package let number: Int64
    /// The transaction that the event is about.
    package var transaction: Transaction
    /// The subscription's state at the event, even if the event is about an older transaction. Only for auto-renewable
    /// subscriptions.
    package var renewalInfo: RenewalInfo?
    /// Only for auto-renewable subscriptions.
    package let status: SubscriptionStatus?
    /// The instant of the event, at which the notification is due.
    package var date: Timestamp
    /// The instant at which the payload is dated: the instant of the event, but at least one millisecond after the
    /// account's previous notification.
    package var signedDate: Timestamp
}
