import TillControl
import TillCore
import TillShop

/// Operations on pending purchases, which wait for a parent's approval or for the customer.
extension ControlAPI {
    var heldPurchaseRoutes: [ControlRoute] {
        [
            ControlRoute(ListHeldPurchases.self) { call in
                try await call.account().heldPurchases.map(HeldPurchaseInfo.init)
            },
            ControlRoute(ApprovePurchase.self) { call in
                let device = try Self.device(call.deviceId)
                let account = try await call.account()
                let held = try Self.heldPurchase(call.number, of: account)
                let command = Command.decideHeldPurchase(number: held.number, approved: true)
                let outcome = try await perform(command, by: account, at: call.at)
                return try await answer(
                    to: held.purchase.productID,
                    outcome,
                    include: call.request.include,
                    device: device
                )
            },
            ControlRoute(DeclinePurchase.self) { call in
                let account = try await call.account()
                let held = try Self.heldPurchase(call.number, of: account)
                let command = Command.decideHeldPurchase(number: held.number, approved: false)
                return customerChange(try await perform(command, by: account, at: call.at))
            },
        ]
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
