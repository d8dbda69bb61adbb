import Foundation
import TillControl
import TillCore
import TillShop
import TillSigning
import TillStorage

/// The effects of an operation: events and notifications, for answers of the control API.
struct Effects {
    var events: [Event] = []
    var notifications: [TillCore.Notification] = []

    /// Creates an empty list of effects.
    init() {}

    init(_ outcome: Outcome) {
        events = outcome.events
        notifications = outcome.ledger.notifications
    }

    /// Adds the effects of a later operation.
    mutating func add(_ other: Effects) {
        events += other.events
        notifications += other.notifications
    }

    /// The names of the events.
    var names: [EventName] { events.map(\.name) }

    /// The notifications: the type, with its subtype after a slash.
    var notices: [String] { notifications.map { Notice($0.type, $0.subtype).words } }
}

extension Event {
    /// The name of the event in the control API.
    var name: EventName {
        switch self {
        case .charged: .charged
        case .alreadyOwned: .alreadyOwned
        case .subscribed: .subscribed
        case .resubscribed: .resubscribed
        case .renewed: .renewed
        case .recovered: .recovered
        case .upgraded: .upgraded
        case .planChangeChosen: .planChangeChosen
        case .planChangeWithdrawn: .planChangeWithdrawn
        case .offerRedeemed: .offerRedeemed
        case .autoRenewEnabled: .autoRenewEnabled
        case .autoRenewDisabled: .autoRenewDisabled
        case .failedToRenew: .failedToRenew
        case .gracePeriodEntered: .gracePeriodEntered
        case .gracePeriodExpired: .gracePeriodExpired
        case .expired: .expired
        case .priceIncreasePending: .priceIncreasePending
        case .priceIncreaseAccepted: .priceIncreaseAccepted
        case .extended: .extended
        case .extensionFailed: .extensionFailed
        case .finished: .finished
        case .appAccountTokenSet: .appAccountTokenSet
        case .refundRequested: .refundRequested
        case .consumptionReported: .consumptionReported
        case .refunded: .refunded
        case .refundDeclined: .refundDeclined
        case .refundReversed: .refundReversed
        case .familyAccessRevoked: .familyAccessRevoked
        case .familyAccessRestored: .familyAccessRestored
        case .familyCopyLinked: .familyCopyLinked
        case .joinedFamily: .joinedFamily
        case .leftFamily: .leftFamily
        case .appDownloaded: .appDownloaded
        case .purchaseHeld: .purchaseHeld
        case .purchaseDeclined: .purchaseDeclined
        case .cardChanged: .cardChanged
        }
    }
}

extension ControlAPI {
    /// Runs a command for the transaction of a request, and answers with the changed transaction.
    func perform(
        onTransactionOf call: ControlCall<some TransactionRequest & IncludingRequest>,
        at instant: Timestamp?,
        _ command: (Transaction) -> Command
    ) async throws -> ActionInfo {
        let (row, account) = try await call.transaction()
        let outcome = try await perform(command(row), by: account, at: instant)
        return try await info(
            of: outcome.ledger.transactions[row.id] ?? row,
            after: outcome,
            include: call.request.include
        )
    }

    /// Runs a command for an account.
    func perform(_ command: Command, by account: Account, at instant: Timestamp?) async throws -> Outcome {
        try await shop.perform(command, by: account.customerName, at: instant)
    }

    /// The result of an operation on a transaction.
    func info(of row: Transaction, after outcome: Outcome, include parts: [TransactionPart]?) async throws
        -> ActionInfo
    {
        let effects = Effects(outcome)
        return ActionInfo(
            transaction: try await info(of: row, outcome.account, include: parts),
            events: effects.names,
            notifications: effects.notices
        )
    }

    /// The result of an operation on a customer.
    func customerChange(_ outcome: Outcome) -> CustomerChange {
        let effects = Effects(outcome)
        return CustomerChange(
            customer: info(of: outcome.account),
            events: effects.names,
            notifications: effects.notices
        )
    }

    /// A transaction. Only the parts that the request asks for are signed.
    ///
    /// - Parameter device: the device of the signed parts; nil for a new device.
    func info(
        of row: Transaction,
        _ account: Account,
        include parts: [TransactionPart]?,
        device: UUID? = nil
    ) async throws -> TransactionInfo {
        let now = shop.now(of: account)
        let subscription = account.heldSubscription(row.originalID)
        var info = TransactionInfo(
            customer: account.customer,
            transactionId: row.shownID,
            originalTransactionId: row.shownOriginalID,
            appTransactionId: row.shownAccountID,
            webOrderLineItemId: row.lineItem.map { String($0) },
            orderId: row.shownOrderID,
            productId: row.productID,
            quantity: row.quantity,
            price: row.price?.milliunits,
            currency: row.price?.currency,
            purchaseDate: row.purchaseDate,
            expiresDate: row.expiresDate,
            revocationDate: row.revocation?.date,
            revocationType: row.revocation?.kind,
            revocationPercentage: row.revocation?.percentage,
            subscription: subscription.map { self.info(of: $0, account) },
            refundRequest: account.refundRequests.first { $0.transaction == row.id }.map {
                RefundRequestInfo($0, of: account)
            },
            availableActions: availableActions(of: account).actions(on: row)
        )
        let parts = Set(parts ?? [])
        if parts.contains(.signed) {
            info.signedTransactionInfo =
                try shop.signed(row, environment: account.environment, app: account.app, at: now).text
            info.signedRenewalInfo = try subscription.map {
                try shop.signedRenewalInfo(of: $0, held: account, at: now).text
            }
        }
        if parts.contains(.device) || parts.contains(.receipt) {
            info.device = try await deviceData(
                of: row,
                account,
                device ?? UUID(),
                withReceipt: parts.contains(.receipt)
            )
        }
        return info
    }

    /// The actions that are possible on an account at the time on its clock.
    func availableActions(of account: Account) -> AvailableActions {
        AvailableActions(
            of: account,
            at: shop.now(of: account),
            catalog: shop.registry.catalog(of: account.app),
            policy: shop.registry.policy(of: account.scope)
        )
    }

    /// What StoreKit gives to the app on a device. Creating the receipt of a long history is slow.
    private func deviceData(of row: Transaction, _ account: Account, _ device: UUID, withReceipt: Bool) async throws
        -> DeviceData
    {
        let now = shop.now(of: account)
        return DeviceData(
            deviceId: device.uuidString.lowercased(),
            signedTransactionInfo: try shop.signedOnDevice(row, account, device: device, at: now).text,
            signedAppTransactionInfo: try shop.appTransactionSignedOnDevice(account, device: device, at: now)?.text,
            appReceipt: withReceipt ? try await shop.appReceipt(of: account, device: device).map(Base64.encode) : nil
        )
    }
}
