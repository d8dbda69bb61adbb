import TillCore
import TillSigning
import TillStorage
import Tracing

/// The outbox for version 1. A notification is stored in the same database transaction as the change that it reports.
/// Failed deliveries are retried.
extension Shop {
    /// The maximum number of transactions in a unified receipt.
    private static let maxRows = 100

    /// Whether an app's environment has an endpoint of version 1.
    func hasVersionOneEndpoint(_ scope: AccountScope) -> Bool {
        registry.rules(of: scope).endpoints.contains { $0.version == .one }
    }

    /// Adds the version 1 notifications, which correspond to version 2 notifications, to a change.
    func enqueueVersionOne(
        _ notifications: [TillCore.Notification],
        in change: inout Change,
        _ scope: AccountScope
    ) async throws {
        guard !notifications.isEmpty, let app = registry.app(scope.app) else { return }
        let accounts = Dictionary(uniqueKeysWithValues: change.accounts.map { ($0.account.id, $0.account) })
        var rows: [AccountID: [Transaction]] = [:]
        for id in Set(notifications.map(\.account)) { rows[id] = try await self.rows(of: id, after: change) }
        for notification in notifications {
            guard let account = accounts[notification.account], let rows = rows[account.id] else { continue }
            let row = notification.transaction
            let earlier = rows.filter {
                $0.originalID == row.originalID && $0.id != row.id && $0.purchaseDate <= row.purchaseDate
            }
            let subscription = account.heldSubscription(row.originalID)
            let types = VersionOneType.types(
                for: notification,
                after: earlier.max { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) },
                isLatest: subscription?.state.periods.contains { $0.id == row.id } == true
            ).filter { scope.environment == .production || settings.versionOneInSandbox || $0.isInSandbox }
            guard !types.isEmpty else { continue }
            let receipt = try await unifiedReceipt(of: account, app, rows, at: notification.date)
            var ids = try identifiers.take(Int64(types.count))
            for type in types {
                let id = ids.notification(of: account.id)
                let body = VersionOnePayload.bytes(
                    type,
                    notification,
                    of: account,
                    standing: subscription.map { renewalInfo(of: $0, held: account, at: notification.date) },
                    password: registry.sharedSecret(of: app),
                    receipt
                )
                var entry = OutboxEntry(
                    id: id,
                    scope: scope,
                    account: account.id,
                    original: row.originalID,
                    transaction: row.id,
                    uuid: identifiers.uuid(of: id),
                    type: type.rawValue,
                    subtype: nil,
                    isTriggered: false,
                    signedDate: notification.signedDate,
                    content: .versionOne(body)
                )
                entry.trace = ServiceContext.current?.trace
                let due = due(notification.date, by: account.clockName)
                let deliveries = deliveries(of: entry, on: account.clockName, due: due)
                guard !deliveries.isEmpty else { continue }
                change.notifications.append(entry)
                change.deliveries += deliveries
            }
            identifiers.giveBack(ids)
        }
    }

    /// The newest transactions of an account, with a pending change applied.
    private func rows(of id: AccountID, after change: Change) async throws -> [Transaction] {
        var rows: [TransactionID: Transaction] = [:]
        for row in try await receiptRows(of: id, atMost: Self.maxRows) { rows[row.id] = row }
        for changed in change.rows where changed.after.account == id { rows[changed.after.id] = changed.after }
        return Array(rows.values)
    }

    private func unifiedReceipt(of account: Account, _ app: AppRecord, _ rows: [Transaction], at date: Timestamp)
        async throws -> VersionOnePayload.UnifiedReceipt
    {
        let shown = ReceiptRows(rows, of: account, atMost: Self.maxRows)
        let frame = frame(of: account, app, device: nil, at: date)
        return VersionOnePayload.UnifiedReceipt(
            latestReceipt: Base64.encode(try await sign(frame, with: shown)),
            rows: shown.rows,
            pendingRenewals: account.heldSubscriptions.isEmpty ? nil : pendingRenewals(of: account, at: date)
        )
    }
}
