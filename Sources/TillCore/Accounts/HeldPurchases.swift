/// Purchases on hold until a parent approves them or the customer completes them (docs/api/lifecycle.md).
extension Ledger {
    mutating func hold(_ purchase: Purchase, because reason: HeldPurchaseReason, by id: AccountID) throws(Refusal) {
        guard self[id].heldPurchases.count < Ledger.maxHeldPurchases else {
            throw .tooManyHeldPurchases(limit: Ledger.maxHeldPurchases)
        }
        // A later approval performs the purchase even if the customer's subscription has changed since.
        var purchase = purchase
        purchase.subscription = nil
        self[id].heldNumber += 1
        let number = self[id].heldNumber
        self[id].heldPurchases.append(HeldPurchase(number: number, purchase: purchase, reason: reason, since: now))
        touch(id)
        purchaseResult = .held
        note(.purchaseHeld(id, number: number))
    }

    mutating func decideHeldPurchase(_ number: Int64, approved: Bool, by id: AccountID) throws(Refusal) {
        guard let place = self[id].heldPurchases.firstIndex(where: { $0.number == number }) else {
            throw .unknownHeldPurchase(number)
        }
        var purchase = self[id].heldPurchases.remove(at: place).purchase
        touch(id)
        guard approved else { return note(.purchaseDeclined(id, number: number)) }
        purchase.isInterrupted = false
        try sell(purchase, by: id)
    }

    mutating func setAskToBuy(_ asks: Bool, by id: AccountID) {
        self[id].asksToBuy = asks
        touch(id)
    }

    private static let maxHeldPurchases = 100
}
