import TillCore
import TillJSON
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
        let answer = try await page.ask("listHeldPurchases")
        let held = (answer["heldPurchases"]?.elements ?? []).prefix(Self.maxRows).map { purchase -> PageValue in
            let number = purchase["number"]?.text ?? ""
            let product = purchase["productId"]?.text ?? ""
            let isAsked = purchase["reason"]?.text == HeldPurchaseReason.askToBuy.rawValue
            return [
                "number": .text(number), "product": .text(ledger.name(of: product)),
                "quantity": PageValue(purchase["quantity"]?.text),
                "waitsFor": .text(isAsked ? "parental approval" : "the customer (interrupted purchase)"),
                "since": Words.time(purchase["heldDate"]?.number, from: ledger.now.milliseconds),
                "actions": ActionButtons(
                    id: "held-\(number)",
                    buttons: [
                        .init("approvePurchase", isAsked ? "Approve" : "Complete"),
                        .init("declinePurchase", "Decline", isDestructive: true),
                    ],
                    parameters: ["number": number]
                ).value(page),
            ]
        }
        return held.isEmpty ? .nothing : ["held": .list(held)]
    }

    /// Pending refund requests.
    func requests() async throws -> PageValue {
        let answer = try await page.ask("listRefundRequestsOfCustomer")
        let requests = (answer["refundRequests"]?.elements ?? []).prefix(Self.maxRows).map { request -> PageValue in
            let id = request["transactionId"]?.text ?? ""
            let preference = request["refundPreference"]?.text.map { Words.plain($0) }
            return [
                "id": .text(id), "link": PageValue(page.link(RowsCard.path, ["transactionId": id])),
                "reason": PageValue(request["reason"]?.text.map { Words.sentence($0) }),
                "since": Words.time(request["requestedDate"]?.number, from: ledger.now.milliseconds),
                "rule": PageValue(request["decidedBy"]?.text.map { EnvironmentSettingsForm.words(ofRefundRule: $0) }),
                "decision": Words.time(request["decisionDate"]?.number, from: ledger.now.milliseconds),
                "preference": PageValue(preference),
                "actions": ActionButtons(
                    id: "request-\(id)",
                    buttons: [
                        .init("refund", "Grant", "share", "FULL"),
                        .init("declineRefund", "Decline", isDestructive: true),
                    ],
                    parameters: ["transactionId": id]
                ).value(page),
            ]
        }
        return requests.isEmpty ? .nothing : ["requests": .list(requests)]
    }
}
