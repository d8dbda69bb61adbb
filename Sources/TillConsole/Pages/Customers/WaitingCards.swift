import TillControl
import TillCore
import TillServer
import TillShop

/// Pending purchases and refund requests.
extension CustomerLedger {
    /// Purchases that wait for a parent's approval, or for the customer to complete an interrupted purchase.
    func held() async throws -> PageValue? {
        let list = try await page.send(ListHeldPurchases(app: app, customer: page.customer))
        return list.isEmpty ? nil : ["held": list.prefix(ListLimit.elements).map(value)]
    }

    private func value(of purchase: HeldPurchaseInfo) -> PageValue {
        let isAsked = purchase.reason == .askToBuy
        let (customer, number) = (page.customer, purchase.number)
        let decline = DeclinePurchase(app: app, customer: customer, number: number)
        let buttons: [ActionButton] = [
            .init(isAsked ? "Approve" : "Complete", ApprovePurchase(app: app, customer: customer, number: number)),
            .init("Decline", decline, isDestructive: true),
        ]
        return [
            "number": number, "product": name(of: purchase.productId), "quantity": purchase.quantity,
            "waitsFor": isAsked ? "parental approval" : "the customer (interrupted purchase)",
            "since": Words.time(purchase.heldDate, from: now),
            "actions": page.buttons("held-\(number)", buttons),
        ]
    }

    /// Pending refund requests.
    func requests() async throws -> PageValue? {
        let list = try await page.send(ListRefundRequests(app: app, customer: page.customer)).refundRequests
        return list.isEmpty ? nil : ["requests": list.prefix(ListLimit.elements).map(value)]
    }

    private func value(of request: RefundRequestInfo) -> PageValue {
        let id = request.transactionId
        let buttons: [ActionButton] = [
            .init("Grant", RefundTransaction(app: app, transactionId: id, share: .full)),
            .init("Decline", DeclineRefund(app: app, transactionId: id), isDestructive: true),
        ]
        return [
            "id": id, "link": page.link(toTransaction: id), "reason": Words.sentence(request.reason.rawValue),
            "since": Words.time(request.requestedDate, from: now),
            "rule": EnvironmentSettingsForm.words(ofRefundRule: request.decidedBy),
            "decision": Words.time(request.decisionDate, from: now),
            "preference": request.refundPreference.map { Words.plain($0.rawValue) },
            "actions": page.buttons("request-\(id)", buttons),
        ]
    }
}
