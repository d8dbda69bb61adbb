import Foundation
import TillCore
import TillSigning
import TillStorage
import Tracing

/// The outbox. A notification is signed once and stored in the same database transaction as the change that it
/// reports. Failed deliveries are retried.
extension Shop {
    /// Adds signed notifications and their deliveries to a change.
    func enqueue(
        _ notifications: [TillCore.Notification],
        in change: inout Change,
        scope: AccountScope,
        signedBy chain: SigningChain
    ) throws {
        guard !notifications.isEmpty, let app = registry.app(scope.app) else { return }
        if let document = keys.chains.document(of: chain) { change.documents.append(document) }
        let followed = isForwardCompatible(in: scope) ? notifications.filter(\.isFollowedByFutureNotification).count : 0
        var ids = try identifiers.take(Int64(notifications.count + followed))
        let accounts = Dictionary(uniqueKeysWithValues: change.accounts.map { ($0.account.id, $0.account) })
        for notification in notifications {
            guard let account = accounts[notification.account] else {
                preconditionFailure("a notification is about an account that the change does not contain")
            }
            var entries = [try sign(notification, ids.notification(of: account.id), account, app, chain)]
            if followed > 0, notification.isFollowedByFutureNotification {
                let id = ids.notification(of: account.id)
                entries.append(try sign(notification, id, account, app, isFuture: true, chain))
            }
            change.notifications += entries
            let due = due(notification.date, by: account.clockName)
            change.deliveries += entries.flatMap { deliveries(of: $0, on: account.clockName, due: due) }
        }
        identifiers.giveBack(ids)
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

    // MARK: Signing

    /// - Parameter isFuture: whether to sign the extra notification of the forward-compatible profile, whose type is
    ///   unknown.
    private func sign(
        _ notification: TillCore.Notification,
        _ id: NotificationID,
        _ account: Account,
        _ app: AppRecord,
        isFuture: Bool = false,
        _ chain: SigningChain
    ) throws -> OutboxEntry {
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
        return try sign(
            head,
            .data(data),
            id: id,
            account: account,
            about: row,
            scope: account.scope,
            transactionInfo: transaction,
            renewalInfo: renewal,
            isTriggered: isFuture,
            chain
        )
    }

    /// Applies the payload profile, signs the transaction and the renewal info, and then signs the notification that
    /// contains them.
    func sign(
        _ head: NotificationPayload.Head,
        _ object: NotificationPayload.Object,
        id: NotificationID,
        account: Account?,
        about row: Transaction?,
        scope: AccountScope,
        transactionInfo: [UInt8]?,
        renewalInfo: [UInt8]?,
        isTriggered: Bool = false,
        _ chain: SigningChain
    ) throws -> OutboxEntry {
        func sign(_ payload: [UInt8], as object: WireObject) throws -> SignedPart {
            let payload = applyingProfile(payload, as: object, in: scope)
            return SignedPart(payload: payload, signature: try chain.signature(for: payload))
        }
        let transaction = try transactionInfo.map { try sign($0, as: object.signedWithin) }
        let renewal = try renewalInfo.map { try sign($0, as: .renewalInfo) }
        let body = applyingProfile(NotificationPayload.bytes(head, object), as: .notification, in: scope)
        let whole = Self.completed(body, transaction, renewal, header: chain.headerSegment)
        metrics.signatures.countMade(.jws, 1 + (transaction == nil ? 0 : 1) + (renewal == nil ? 0 : 1))
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
            body: SignedPart(payload: body, signature: try chain.signature(for: whole)),
            transactionInfo: transaction,
            renewalInfo: renewal,
            chain: chain.id
        )
        entry.trace = ServiceContext.current?.trace
        return entry
    }

    /// Replaces the placeholders in a payload with the signed transaction and the signed renewal info.
    static func completed(
        _ body: [UInt8],
        _ transaction: SignedPart?,
        _ renewal: SignedPart?,
        header: [UInt8]
    ) -> [UInt8] {
        var whole: [UInt8] = []
        whole.reserveCapacity(body.count + (transaction == nil ? 0 : 6_144) + (renewal == nil ? 0 : 6_144))
        var rest = body[...]
        while let place = rest.firstIndex(where: { $0 == 1 || $0 == 2 }) {
            whole.append(contentsOf: rest[..<place])
            let part = rest[place] == NotificationPayload.transactionPlace ? transaction : renewal
            if let part {
                SigningChain.append(header: header, payload: part.payload, signature: part.signature, to: &whole)
            }
            rest = rest[(place + 1)...]
        }
        whole.append(contentsOf: rest)
        return whole
    }

    /// Assembles the `signedPayload`. The bytes are always the same as in the first attempt.
    package func signedPayload(_ entry: OutboxEntry) throws -> [UInt8] {
        guard let chain = entry.chain, let header = keys.chains.header(of: chain) else {
            throw ShopDamaged(
                what: "the certificates of chain \(entry.chain ?? "–"), which signed \(entry.uuid), are missing"
            )
        }
        let whole = Self.completed(entry.body.payload, entry.transactionInfo, entry.renewalInfo, header: header)
        return SigningChain.assemble(header: header, payload: whole, signature: entry.body.signature)
    }
}

extension OutboxEntry {
    /// The version of the notification's format. Only version 2 is signed.
    package var version: NotificationVersion { chain == nil ? .one : .two }
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
