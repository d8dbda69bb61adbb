import TillControl
import TillCore
import TillServer
import TillShop

/// Pending purchases and refund requests.
struct WaitingCards: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger

    private static let maxRows = 50

    init(_ page: PageRequest, _ ledger: CustomerLedger) {
        self.page = page
        self.ledger = ledger
    }

    /// Purchases that wait for a parent's approval, or for the customer to complete an interrupted purchase.
    func held() async throws -> PageValue {
        let list = try await page.send(ListHeldPurchases(app: ledger.app, customer: page.customer))
        let held = list.prefix(Self.maxRows).map(value)
        return held.isEmpty ? .nothing : ["held": .list(held)]
    }

    private func value(of purchase: HeldPurchaseInfo) -> PageValue {
        let isAsked = purchase.reason == .askToBuy
        let (app, customer, number) = (ledger.app, page.customer, purchase.number)
        let buttons: [ActionButtons.Button] = [
            .init(
                isAsked ? "Approve" : "Complete",
                ApprovePurchase(app: app, customer: customer, number: number)
            ),
            .init("Decline", DeclinePurchase(app: app, customer: customer, number: number), isDestructive: true),
        ]
        return [
            "number": PageValue(number), "product": .text(ledger.name(of: purchase.productId)),
            "quantity": PageValue(purchase.quantity),
            "waitsFor": .text(isAsked ? "parental approval" : "the customer (interrupted purchase)"),
            "since": Words.time(purchase.heldDate, from: ledger.now),
            "actions": ActionButtons(id: "held-\(number)", buttons: buttons).value(page),
        ]
    }

    /// Pending refund requests.
    func requests() async throws -> PageValue {
        let list = try await page.send(ListRefundRequests(app: ledger.app, customer: page.customer))
        let requests = list.refundRequests.prefix(Self.maxRows).map(value)
        return requests.isEmpty ? .nothing : ["requests": .list(requests)]
    }

    private func value(of request: RefundRequestInfo) -> PageValue {
        let id = request.transactionId
        let buttons: [ActionButtons.Button] = [
            .init("Grant", RefundTransaction(app: ledger.app, transactionId: id, share: .full)),
            .init("Decline", DeclineRefund(app: ledger.app, transactionId: id), isDestructive: true),
        ]
        return [
            "id": .text(id), "link": PageValue(page.link(toTransaction: id)),
            "reason": .text(Words.sentence(request.reason.rawValue)),
            "since": Words.time(request.requestedDate, from: ledger.now),
            "rule": .text(EnvironmentSettingsForm.words(ofRefundRule: request.decidedBy)),
            "decision": Words.time(request.decisionDate, from: ledger.now),
            "preference": PageValue(request.refundPreference.map { Words.plain($0.rawValue) }),
            "actions": ActionButtons(id: "request-\(id)", buttons: buttons).value(page),
        ]
    }
}
