import Foundation
import Logging
import TillCore
import TillSigning
import TillStorage

/// Sends notifications that no customer's operation and no deadline causes: tests, summaries of mass extensions, and
/// notifications that an operator triggers.
extension Shop {
    /// Adds a notification about the app, not about an account, to a change.
    func enqueue(
        _ head: NotificationPayload.Head,
        _ object: NotificationPayload.Object,
        in change: inout Change,
        scope: AccountScope,
        isTriggered: Bool = false,
        signedBy chain: SigningChain
    ) async throws {
        var ids = try await identifiers.takeOrReserve(1)
        let partition = Partition(environment: scope.environment, app: scope.app, customer: "")
        let entry = entry(
            head,
            object,
            id: NotificationID(ids.bare(in: partition)),
            account: nil,
            about: nil,
            scope: scope,
            transactionInfo: nil,
            renewalInfo: nil,
            isTriggered: isTriggered
        )
        try add(entry, to: &change, on: ClockName(scope), due: head.signedDate, signedBy: chain)
    }

    /// Commits a change that checks no account's version.
    func commit(_ change: Change, signedBy chain: SigningChain) async throws {
        var keys: Set<String> = []
        try await transactor.transact("the configuration", locking: &keys) { _ in
            .write(Draft(change: change, chain: chain), ())
        }
    }

    /// Sends a test notification of version 2 to the primary endpoint of an app's environment.
    ///
    /// - Parameter isTriggered: whether an operator requests it, and not the app's server.
    /// - Returns: the notification; nil if there is no primary endpoint.
    package func requestTest(in scope: AccountScope, isTriggered: Bool = false) async throws -> OutboxEntry? {
        guard deliveryTargets(of: scope).contains(where: { $0.key == EndpointRecord.primary }),
            let app = registry.app(scope.app)
        else { return nil }
        let uuid = UUID().uuidString.lowercased()
        let date = now(in: scope)
        let head = NotificationPayload.Head(
            type: NotificationType.test.rawValue,
            subtype: nil,
            uuid: uuid,
            signedDate: date
        )
        let chain = signingChain
        var change = Change()
        let data = NotificationPayload.testData(of: app, environment: scope.environment)
        try await enqueue(head, .data(data), in: &change, scope: scope, isTriggered: isTriggered, signedBy: chain)
        change.deliveries.removeAll { $0.endpoint != EndpointRecord.primary }
        // The primary endpoint receives every test, even if its type filter or its version would exclude the test.
        if change.deliveries.isEmpty, let entry = change.notifications.first {
            change.deliveries = [
                Delivery(of: entry, to: EndpointRecord.primary, clock: ClockName(scope), due: date)
            ]
        }
        try await commit(change, signedBy: chain)
        return change.notifications.first
    }

    /// Finds the test notification for a token; nil if it was not requested in this app and environment.
    ///
    /// - Parameter token: the `testNotificationToken` in lower case.
    package func test(of token: String, in scope: AccountScope) async throws -> OutboxEntry? {
        let entry = try await storage.notification(uuid: String(token.prefix(36)), in: scope)
        return entry?.testNotificationToken == token ? entry : nil
    }

    /// Sends a notification of any type with the current state of an account, without an event in the ledger.
    ///
    /// - Parameter row: the transaction in the notification; nil for a type about the app or the customer.
    /// - Throws: `TriggerRefused` for an invalid pair of type and subtype, or if the type needs a transaction or a
    ///   customer and there is none.
    package func trigger(_ notice: Notice, about row: Transaction?, of account: Account) async throws -> OutboxEntry {
        let scope = account.scope
        // The lock prevents that someone erases the customer now and this notification stays behind.
        var keys: Set<String> = [account.customerName.lockKey]
        return try await transactor.transact("the account of \(account.customer)", locking: &keys) { _ in
            guard let present = try await storage.account(account.id) else {
                throw TriggerRefused(reason: "customer \(account.customer) was erased")
            }
            let date = max(now(of: present), present.lastEvent, present.lastSigned ?? present.lastEvent)
            return try await triggered(notice, about: row, of: present, in: scope, at: date)
        }
    }

    /// Sends a notification that is only about the app.
    ///
    /// - Throws: `TriggerRefused` for an invalid pair of type and subtype, or for a type that is about a customer or a
    ///   transaction.
    package func trigger(_ notice: Notice, in scope: AccountScope) async throws -> OutboxEntry {
        var keys: Set<String> = []
        return try await transactor.transact("the configuration", locking: &keys) { _ in
            try await triggered(notice, about: nil, of: nil, in: scope, at: now(in: scope))
        }
    }

    private func triggered(
        _ notice: Notice,
        about row: Transaction?,
        of account: Account?,
        in scope: AccountScope,
        at date: Timestamp
    ) async throws -> Decision<OutboxEntry> {
        guard notice.type.subtypes.contains(notice.subtype) else {
            let pairs = notice.type.subtypes.map { Notice(notice.type, $0).words }.joined(separator: ", ")
            throw TriggerRefused(reason: "there is no notification \(notice.words); for this type use \(pairs)")
        }
        guard let app = registry.app(scope.app) else {
            throw TriggerRefused(reason: "app \(scope.app) does not exist")
        }
        let parts = try parts(of: notice, about: row, account, app, scope.environment, at: date)
        let chain = signingChain
        var change = Change()
        var ids = try identifiers.take(1)
        let clock = account?.clockName ?? ClockName(scope)
        let partition = account?.id.partition ?? Partition(environment: scope.environment, app: scope.app, customer: "")
        let entry = entry(
            NotificationPayload.Head(
                type: notice.type.rawValue,
                subtype: notice.subtype?.rawValue,
                uuid: UUID().uuidString.lowercased(),
                signedDate: date
            ),
            parts.object,
            id: NotificationID(ids.bare(in: partition)),
            account: account,
            about: row,
            scope: scope,
            transactionInfo: parts.transaction,
            renewalInfo: parts.renewal,
            isTriggered: true
        )
        try add(entry, to: &change, on: clock, due: now(on: clock), signedBy: chain)
        if cluster != nil, let account {
            // The account's version makes the commit fail if another node has erased the customer, or moved them to
            // another clock.
            var after = account
            after.version += 1
            let due = try await storage.nextDue(of: account.id)
            change.accounts = [AccountChange(account: after, before: account.version, nextDue: due)]
        }
        return .write(Draft(change: change, chain: chain), entry)
    }

    private struct Parts {
        var object: NotificationPayload.Object
        var transaction: [UInt8]?
        var renewal: [UInt8]?
    }

    private func parts(
        of notice: Notice,
        about row: Transaction?,
        _ account: Account?,
        _ app: AppRecord,
        _ environment: StoreEnvironment,
        at date: Timestamp
    ) throws -> Parts {
        switch notice.type {
        case .test:
            return Parts(object: .data(NotificationPayload.testData(of: app, environment: environment)))
        case .externalPurchaseToken:
            // All subtypes except UNREPORTED are about tokens for custom links, which expire.
            let expires = notice.subtype == .unreported ? nil : Period(1, .year).end(from: date)
            return Parts(
                object: .externalPurchaseToken(
                    NotificationPayload.externalPurchaseToken(
                        of: app,
                        environment: environment,
                        id: UUID().uuidString.lowercased(),
                        created: date,
                        expires: expires
                    )
                )
            )
        case .rescindConsent:
            guard let account else { throw TriggerRefused(reason: "\(notice.words) needs a customer") }
            guard let download = account.appTransaction else {
                throw TriggerRefused(reason: "customer \(account.customer) has no app transaction to send")
            }
            return Parts(
                object: .appData(NotificationPayload.appData(of: app, environment: environment)),
                transaction: AppTransactionPayload.bytes(download, of: account, appleID: app.appleID, createdAt: date)
            )
        case .renewalExtension where notice.subtype == .summary:
            guard let row else { throw Self.aboutTransaction(notice) }
            let job = MassExtension(
                productID: row.productID,
                days: 1,
                reasonCode: 0,
                request: identifiers.uuid("summary/\(row.id.number)/\(date.milliseconds)")
            )
            return Parts(
                object: .summary(
                    NotificationPayload.summary(of: app, environment: environment, job, succeeded: 1, failed: 0)
                )
            )
        default:
            guard let row, let account else { throw Self.aboutTransaction(notice) }
            return purchaseParts(of: notice, about: row, account, app, at: date)
        }
    }

    private static func aboutTransaction(_ notice: Notice) -> TriggerRefused {
        TriggerRefused(reason: "\(notice.words) needs a transaction")
    }

    private func purchaseParts(
        of notice: Notice,
        about row: Transaction,
        _ account: Account,
        _ app: AppRecord,
        at date: Timestamp
    ) -> Parts {
        let subscription = row.groupID == nil ? nil : account.heldSubscription(row.originalID)
        let info = subscription.map { renewalInfo(of: $0, held: account, at: date) }
        let data = NotificationPayload.data(
            of: app,
            environment: account.environment,
            version: account.appTransaction?.applicationVersion ?? "1.0",
            status: subscription?.status,
            hasRenewalInfo: info != nil,
            reason: notice.type == .consumptionRequest ? .other : nil
        )
        return Parts(
            object: .data(data),
            transaction: TransactionPayload.bytes(
                row,
                environment: account.environment,
                app: account.app,
                signedDate: date
            ),
            renewal: info.map { RenewalInfoPayload.bytes($0, environment: account.environment, signedDate: date) }
        )
    }
}

extension OutboxEntry {
    /// The `testNotificationToken` of a test: its UUID in the sandbox; in production also its signing date in
    /// milliseconds. Nil for a notification of another type.
    package var testNotificationToken: String? {
        guard type == NotificationType.test.rawValue else { return nil }
        return scope.environment == .sandbox ? uuid : "\(uuid)_\(signedDate.milliseconds)"
    }
}

/// Why a notification cannot be triggered.
package struct TriggerRefused: Error, CustomStringConvertible {
    /// The reason, without a full stop at the end.
    package let reason: String

    package var description: String { reason }
}
