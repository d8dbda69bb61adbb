import Foundation
import TillControl
import TillCore
import TillShop
import TillSigning
import TillStorage

/// Operations on purchases, on pending purchases, and on the data and receipts that the device gives to the app.
extension ControlAPI {
    var purchaseRoutes: [ControlRoute] {
        [
            ControlRoute(BuyProduct.self) { try await buy($0) },
            ControlRoute(GetTransaction.self) { call in
                let (row, account) = try await call.transaction()
                let device = try Self.device(call.deviceId)
                return try await info(of: row, account, include: call.request.include, device: device)
            },
            ControlRoute(FinishTransaction.self) { call in
                try await perform(onTransactionOf: call, at: nil) { .finish($0.id) }
            },
            ControlRoute(ListHeldPurchases.self) { call in
                try await call.account().heldPurchases.map(HeldPurchaseInfo.init)
            },
            ControlRoute(ApprovePurchase.self) { call in
                let device = try Self.device(call.deviceId)
                let account = try await call.account()
                let held = try Self.heldPurchase(call.number, of: account)
                let command = Command.decideHeldPurchase(number: held.number, approved: true)
                let outcome = try await perform(command, by: account, at: call.at)
                let product = held.purchase.productID
                return try await answer(to: product, outcome, include: call.request.include, device: device)
            },
            ControlRoute(DeclinePurchase.self) { call in
                let account = try await call.account()
                let held = try Self.heldPurchase(call.number, of: account)
                let command = Command.decideHeldPurchase(number: held.number, approved: false)
                return customerChange(try await perform(command, by: account, at: call.at))
            },
            ControlRoute(GetReceipt.self) { try await receipt($0) },
        ]
    }

    private func buy(_ call: ControlCall<BuyProduct>) async throws -> PurchaseInfo {
        let name = try call.customerName()
        // The purchase creates an account for a customer who does not exist.
        _ = try ControlExchange.checked(newCustomer: name.customer)
        let device = try Self.device(call.deviceId)
        var purchase = purchase(of: call.request)
        if let offer = call.offer { try await apply(offer, to: &purchase, by: name) }
        purchase.price = try Self.price(call.request)
        if let text = call.orderId { purchase.order = try await order(text, of: name) }
        let outcome = try await opening(Opening(storefront: call.storefront), of: name, call.request) { [purchase] in
            try await shop.perform(.purchase(purchase), by: name, at: call.at, opening: $0)
        }
        call.answersUnchanged(outcome.alreadyOwned != nil)
        return try await answer(to: purchase.productID, outcome, include: call.request.include, device: device)
    }

    /// The result of a purchase: the new transaction, or the existing transaction of an owned product. A change for the
    /// next period adds no transaction, so the answer has the current transaction. For a pending purchase, the answer
    /// has its number.
    func answer(
        to productID: String,
        _ outcome: Outcome,
        include parts: [TransactionPart]?,
        device: UUID?
    ) async throws -> PurchaseInfo {
        let account = outcome.account
        let effects = Effects(outcome)
        for case .purchaseHeld(account.id, let number) in outcome.events {
            return PurchaseInfo(
                result: .held,
                customer: account.customer,
                held: number,
                events: effects.names,
                notifications: effects.notices
            )
        }
        let group = shop.registry.catalog(of: account.app).products[productID]?.plan?.groupID
        let bought =
            outcome.alreadyOwned
            ?? group.flatMap { account.subscription(toGroup: $0)?.latestTransaction }
            ?? outcome.ledger.transactionChanges.last {
                $0.after.account == account.id && $0.after.productID == productID
            }?
            .after
        guard let row = bought else {
            throw ControlError.conflict("nothing_bought", "The purchase created no transaction.")
        }
        return PurchaseInfo(
            result: outcome.ledger.purchaseResult,
            customer: account.customer,
            transaction: try await info(of: row, account, include: parts, device: device),
            events: effects.names,
            notifications: effects.notices
        )
    }

    /// The device that a request names.
    static func device(_ text: String?) throws -> UUID? {
        guard let text else { return nil }
        guard let device = UUID(uuidString: text) else {
            throw ControlError.bad("bad_device_id", "A device id must be a UUID.", path: "$.deviceId")
        }
        return device
    }

    private func receipt(_ call: ControlCall<GetReceipt>) async throws -> ReceiptInfo {
        let account = try await call.account()
        let device = try Self.device(call.deviceId)
        guard let id = call.transactionId else {
            guard let receipt = try await shop.appReceipt(of: account, device: device) else {
                throw ControlError.notFound("unknown_app", "The app no longer exists.")
            }
            return ReceiptInfo(receipt: Base64.encode(receipt))
        }
        let (row, owner) = try await call.transaction(id)
        guard owner.id == account.id else {
            let words = "Transaction \(id) belongs to customer \(owner.customer)."
            throw ControlError.notFound("unknown_transaction", words)
        }
        let text = try await shop.transactionReceipt(of: row, account, device: device)
        return ReceiptInfo(receipt: Base64.encode(Array(text.utf8)))
    }

    private static func heldPurchase(_ number: Int64, of account: Account) throws -> HeldPurchase {
        guard let held = account.heldPurchases.first(where: { $0.number == number }) else {
            throw Refusal.unknownHeldPurchase(number)
        }
        return held
    }
}

extension HeldPurchaseInfo {
    init(_ held: HeldPurchase) {
        self.init(
            number: held.number,
            productId: held.purchase.productID,
            quantity: held.purchase.quantity,
            reason: held.reason,
            heldDate: held.since
        )
    }
}
