import Foundation
import TillCore
import TillSigning
import TillStorage
import Tracing

/// The outbox. A notification is stored in the same database transaction as the change that it reports. Failed
/// deliveries are retried.
extension Shop {
    /// Adds notifications and their deliveries to a change.
    func enqueue(
        _ notifications: [TillCore.Notification],
        in change: inout Change,
        scope: AccountScope,
        signedBy chain: SigningChain
    ) throws {
        guard !notifications.isEmpty, let app = registry.app(scope.app) else { return }
        let followed = isForwardCompatible(in: scope) ? notifications.filter(\.isFollowedByFutureNotification).count : 0
        var ids = try identifiers.take(Int64(notifications.count + followed))
        let accounts = Dictionary(uniqueKeysWithValues: change.accounts.map { ($0.account.id, $0.account) })
        for notification in notifications {
            guard let account = accounts[notification.account] else {
                preconditionFailure("a notification is about an account that the change does not contain")
            }
            var entries = [entry(of: notification, ids.notification(of: account.id), account, app)]
            if followed > 0, notification.isFollowedByFutureNotification {
                let id = ids.notification(of: account.id)
                entries.append(entry(of: notification, id, account, app, isFuture: true))
            }
            let due = due(notification.date, by: account.clockName)
            for entry in entries { try add(entry, to: &change, on: account.clockName, due: due, signedBy: chain) }
        }
        identifiers.giveBack(ids)
    }

    /// Adds a notification and its deliveries to a change. It is signed now if it has deliveries.
    func add(
        _ entry: OutboxEntry,
        to change: inout Change,
        on clock: ClockName,
        due: Timestamp,
        signedBy chain: SigningChain
    ) throws {
        let deliveries = deliveries(of: entry, on: clock, due: due)
        change.notifications.append(deliveries.isEmpty ? entry : try signing(entry, by: chain))
        change.deliveries += deliveries
    }

    /// The date when a notification is sent. A customer's date can be ahead of the clock; in this case the notification
    /// is sent at once, unless an advance in progress will reach its date.
    func due(_ date: Timestamp, by clock: ClockName) -> Timestamp {
        let present = now(on: clock)
        return min(date, max(present, advanceUnderWay(on: clock)?.to ?? present))
    }

    /// Creates one delivery for each endpoint that receives this type and version of notification.
    func deliveries(of entry: OutboxEntry, on clock: ClockName, due: Timestamp) -> [Delivery] {
        endpoints(of: entry.scope)
            .filter { $0.version == entry.version && $0.wants(type: entry.type, subtype: entry.subtype) }
            .map { Delivery(of: entry, to: $0.key, clock: clock, due: due) }
    }

    /// - Parameter isFuture: whether to create the extra notification of the forward-compatible profile, whose type is
    ///   unknown.
    private func entry(
        of notification: TillCore.Notification,
        _ id: NotificationID,
        _ account: Account,
        _ app: AppRecord,
        isFuture: Bool = false
    ) -> OutboxEntry {
        let date = notification.signedDate
        let row = notification.transaction
        let transaction = TransactionPayload.bytes(
            row,
            environment: account.environment,
            app: account.app,
            signedDate: date
        )
        let renewal = notification.renewalInfo.map {
            RenewalInfoPayload.bytes($0, environment: account.environment, signedDate: date)
        }
        let head = NotificationPayload.Head(
            type: isFuture ? FutureNotification.type : notification.type.rawValue,
            subtype: isFuture ? FutureNotification.subtype : notification.subtype?.rawValue,
            uuid: identifiers.uuid(of: id),
            signedDate: date
        )
        let data = NotificationPayload.data(
            of: app,
            environment: account.environment,
            version: account.appTransaction?.applicationVersion ?? "1.0",
            status: notification.status,
            hasRenewalInfo: renewal != nil,
            reason: notification.consumptionRequestReason
        )
        return entry(
            head,
            .data(data),
            id: id,
            account: account,
            about: row,
            scope: account.scope,
            transactionInfo: transaction,
            renewalInfo: renewal,
            isTriggered: isFuture
        )
    }

    /// Creates an unsigned notification, with the payload profile applied to its payloads.
    func entry(
        _ head: NotificationPayload.Head,
        _ object: NotificationPayload.Object,
        id: NotificationID,
        account: Account?,
        about row: Transaction?,
        scope: AccountScope,
        transactionInfo: [UInt8]?,
        renewalInfo: [UInt8]?,
        isTriggered: Bool = false
    ) -> OutboxEntry {
        let parts = NotificationParts(
            body: applyingProfile(NotificationPayload.bytes(head, object), as: .notification, in: scope),
            transactionInfo: transactionInfo.map { applyingProfile($0, as: object.signedWithin, in: scope) },
            renewalInfo: renewalInfo.map { applyingProfile($0, as: .renewalInfo, in: scope) }
        )
        var entry = OutboxEntry(
            id: id,
            scope: scope,
            account: account?.id,
            original: row?.originalID,
            transaction: row?.id,
            uuid: head.uuid,
            type: head.type,
            subtype: head.subtype,
            isTriggered: isTriggered,
            signedDate: head.signedDate,
            content: .unsigned(parts)
        )
        entry.trace = ServiceContext.current?.trace
        return entry
    }
}

extension OutboxEntry {
    /// The version of the notification's format. Only version 2 is signed.
    package var version: NotificationVersion { content.isVersionOne ? .one : .two }
}

/// The error for data that is missing from the database, or cannot be read.
package struct ShopDamaged: Error, CustomStringConvertible {
    /// A description of the damage, without a full stop at the end.
    package let what: String

    package var description: String { "\(what); run till doctor" }
}

extension Identifiers {
    /// Takes the number for a new notification of an account, in that account's partition.
    mutating func notification(of account: AccountID) -> NotificationID {
        NotificationID(bare(in: account.partition))
    }
}
