import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillStorage

extension ConsolePage {
    /// One transaction: its details, signed data and actions.
    static let transaction = ConsolePage(
        path: RowsCard.path,
        template: Template("transaction", PackageResources.transaction_mustache)
    ) { page in
        let app = try page.app
        let id = page.transactionId
        let transaction = try await page.send(GetTransaction(app: app, transactionId: id, include: [.signed, .device]))
        // The payload profile can remove or add keys of the JWS, so the details come from the stored transaction.
        guard let number = Int64(id), let row = try await page.shop.storage.transaction(TransactionID(number)) else {
            throw ControlError.missing("No transaction \"\(id.prefix(64))\".")
        }
        let forms = TransactionForms(app: app, transaction: transaction)
        return PageContent(
            "Transaction \(id)",
            [
                "customer": .text(transaction.customer),
                "customerLink": PageValue(page.link(toCustomer: transaction.customer)),
                "facts": .list(TransactionFacts.facts(of: transaction, row)),
                "signed": .list(signed(transaction)),
                "isCopy": .flag(row.ownership == .familyShared),
                "hasRequest": .flag(transaction.refundRequest != nil),
                "refunds": .list(forms.refunds.map { $0.value(page) }),
                "actions": forms.others.value(page),
                "trigger": ActionForm(
                    TriggerNotification(app: app, type: .test, transactionId: id),
                    "Send notification",
                    [.init("type", "Type", .notice)]
                ).value(page),
            ]
        )
    }

    private static func signed(_ transaction: TransactionInfo) -> [PageValue] {
        let signed: [(id: String, name: String, jws: String?)] = [
            ("transaction", "Signed transaction", transaction.signedTransactionInfo),
            ("renewal", "Signed renewal info", transaction.signedRenewalInfo),
            (
                "device", "Signed transaction as the device receives it", transaction.device?.signedTransactionInfo
            ),
        ]
        return signed.compactMap { id, name, jws in
            jws.map { jws in
                let payload = DecodedJWS.payload(jws).map { String(decoding: $0.written(), as: UTF8.self) }
                return ["id": .text(id), "name": .text(name), "jws": .text(jws), "payload": PageValue(payload)]
            }
        }
    }
}

/// The forms of the actions that are possible on a transaction.
private struct TransactionForms: Sendable {
    let app: AppEnvironment
    let transaction: TransactionInfo

    private static let time = ActionForm.Field("at", "Time of this action (UTC, empty: now)", .instant)

    private var id: String { transaction.transactionId }

    private func isAvailable(_ action: CustomerAction) -> Bool { transaction.availableActions.contains(action) }

    /// The forms to refund the transaction, to reverse the refund, and to request or decline a refund.
    var refunds: [ActionForm] {
        var forms: [ActionForm] = []
        if isAvailable(.reverseRefund) {
            forms.append(ActionForm(ReverseRefund(app: app, transactionId: id), "Reverse refund", [Self.time]))
        }
        if isAvailable(.declineRefund) {
            forms.append(ActionForm(DeclineRefund(app: app, transactionId: id), "Decline refund"))
        }
        if isAvailable(.refund) { forms.append(refund) }
        if isAvailable(.requestRefund) {
            let request = RequestRefund(app: app, transactionId: id)
            forms.append(ActionForm(request, "Request refund", [.init("reason", "Reason")]))
        }
        return forms
    }

    private var refund: ActionForm {
        let shares: [(share: RefundShare, name: String)] =
            [(.full, "Full")] + (isAvailable(.refundUnusedPart) ? [(.unused, "Unused part")] : [])
            + [(.part, "Percentage")]
        let reasons: [(reason: RevocationReason, name: String)] = [
            (.other, "Other"), (.issueInApp, "An issue in the app"),
        ]
        return ActionForm(
            RefundTransaction(app: app, transactionId: id),
            "Refund",
            [
                .init("share", "Amount", .choice(shares.map { ($0.share.rawValue, $0.name) })),
                .init("percentage", "Percent (only for the amount “Percentage”)", .thousandths, hint: "50"),
                .init(
                    "reason",
                    "Revocation reason",
                    .choice(reasons.map { (String($0.reason.rawValue), $0.name) })
                ),
                Self.time,
            ],
            isDestructive: true
        )
    }

    /// The actions without fields that are not about refunds.
    var others: ActionButtons {
        let actions = transaction.availableActions.filter { [.finish, .share, .stopSharing].contains($0) }
        return ActionButtons(
            id: "actions",
            buttons: actions.compactMap { ActionButtons.Button($0, onTransaction: id, app) }
        )
    }
}

/// The details of a transaction.
private enum TransactionFacts {
    static func facts(of transaction: TransactionInfo, _ row: Transaction) -> [PageValue] {
        var facts: [PageValue] = []
        func fact(_ name: String, _ words: String?) {
            if let words { facts.append(["name": .text(name), "words": .text(words), "time": .nothing]) }
        }
        func fact(_ name: String, at instant: Timestamp?) {
            guard let instant else { return }
            facts.append(["name": .text(name), "words": .nothing, "time": Words.time(instant)])
        }
        fact("Product", transaction.productId)
        fact("Type", row.type.wireName)
        fact("Quantity", String(transaction.quantity))
        fact("Price", Words.money(transaction.price, transaction.currency))
        fact("Reason", Words.sentence(row.reason.rawValue))
        fact("Ownership", Words.sentence(row.ownership.rawValue))
        fact("Purchased", at: transaction.purchaseDate)
        fact("Expires", at: transaction.expiresDate)
        fact("Offer", row.offer.map { Words.plain($0.mode.rawValue) })
        fact("Offer ID", row.offer?.id)
        fact("Revoked", at: transaction.revocationDate)
        let percentage = transaction.revocationPercentage.map { ", \(Words.percent($0))" } ?? ""
        fact("Revocation", transaction.revocationType.map { Words.plain($0.rawValue) + percentage })
        fact("Original transaction ID", transaction.originalTransactionId)
        fact("Order ID", transaction.orderId)
        fact("Web order line item ID", transaction.webOrderLineItemId)
        fact("Storefront", row.storefront.code)
        return facts
    }
}
