import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage

extension ConsolePage {
    /// One transaction: its details, signed data and actions.
    static let transaction = ConsolePage(
        "\(scope)/transactions/{transactionId}",
        "transaction",
        documentation: [.payloads, .refunds]
    ) { page in
        let app = try page.app
        let id = page.parameters["transactionId"] ?? ""
        let transaction = try await page.send(GetTransaction(app: app, transactionId: id, include: [.signed, .device]))
        // The payload profile can remove or add keys of the JWS, so the details come from the stored transaction.
        let scope = AccountScope(environment: app.environment, app: app.bundleId)
        guard
            let number = Int64(id), let own = try await page.shop.transaction(shown: number, in: scope)?.id,
            let row = try await page.shop.storage.transaction(own)
        else {
            throw ControlError.missing("No transaction \"\(id.prefix(64))\".")
        }
        let others = transaction.availableActions.filter { [.finish, .share, .stopSharing].contains($0) }
        let trigger = TriggerNotification(app: app, type: .test, transactionId: id)
        return [
            "title": "Transaction \(id)",
            "customer": transaction.customer, "customerLink": page.link(toCustomer: transaction.customer),
            "facts": facts(of: transaction, row, page),
            "notifications": page.link(.notifications, query: [(name: "customer", value: transaction.customer)]),
            "signed": signed(transaction),
            "isCopy": row.ownership == .familyShared, "hasRequest": transaction.refundRequest != nil,
            "refunds": refunds(app, transaction, page),
            "actions": page.buttons(
                "actions",
                others.compactMap { ActionButton($0, onTransaction: id, app) }
            ),
            "trigger": page.form(trigger, "Send notification", [.init("type", "Type", .notice)]),
        ]
    }

    private static func signed(_ transaction: TransactionInfo) -> [PageValue] {
        let signed: [(id: String, name: String, jws: String?)] = [
            ("transaction", "Signed transaction", transaction.signedTransactionInfo),
            ("renewal", "Signed renewal info", transaction.signedRenewalInfo),
            ("device", "Signed transaction as the device receives it", transaction.device?.signedTransactionInfo),
        ]
        return signed.compactMap { id, name, jws in
            jws.map { ["id": id, "name": name, "jws": $0, "payload": DecodedWords.document(DecodedJWS.payload($0))] }
        }
    }

    /// The forms to refund the transaction, to reverse the refund, and to request or decline a refund.
    private static func refunds(_ app: AppEnvironment, _ transaction: TransactionInfo, _ page: PageRequest)
        -> [PageValue]
    {
        let (id, available) = (transaction.transactionId, transaction.availableActions)
        var forms: [PageValue] = []
        func add(_ title: String, _ form: PageValue) { forms.append(["title": title, "form": form]) }
        if available.contains(.reverseRefund) {
            add(
                "Reverse a refund",
                page.form(ReverseRefund(app: app, transactionId: id), "Reverse refund", [.timeOfAction])
            )
        }
        if available.contains(.declineRefund) {
            add("Decline the refund request", page.form(DeclineRefund(app: app, transactionId: id), "Decline refund"))
        }
        if available.contains(.refund) {
            let part: [(RefundShare, String)] = available.contains(.refundUnusedPart) ? [(.unused, "Unused part")] : []
            let shares = [(.full, "Full")] + part + [(.part, "Percentage")]
            let reasons: [(RevocationReason, String)] = [(.other, "Other"), (.issueInApp, "An issue in the app")]
            let fields: [FormField] = [
                .init("share", "Amount", .choice(shares.map { ($0.rawValue, $1) })),
                .init("percentage", "Percent", .thousandths, hint: "50"),
                .init("reason", "Revocation reason", .choice(reasons.map { (String($0.rawValue), $1) })),
                .timeOfAction,
            ]
            let refund = RefundTransaction(app: app, transactionId: id)
            add("Refund", page.form(refund, "Refund", fields, isDestructive: true))
        }
        if available.contains(.requestRefund) {
            let request = RequestRefund(app: app, transactionId: id)
            add("Request a refund as the customer", page.form(request, "Request refund", [.init("reason", "Reason")]))
        }
        return forms
    }

    private static func facts(of transaction: TransactionInfo, _ row: Transaction, _ page: PageRequest) -> PageValue {
        func linked(_ words: String, _ link: String) -> PageValue { ["words": words, "link": link] }
        let (product, original) = (transaction.productId, transaction.originalTransactionId)
        let percentage = transaction.revocationPercentage.map { ", \(Words.percent($0))" } ?? ""
        return .facts([
            "Product": linked(product, page.link(toProduct: product)), "Type": row.type.wireName,
            "Quantity": transaction.quantity,
            "Price": Words.money(transaction.price, transaction.currency),
            "Reason": Words.sentence(row.reason.rawValue), "Ownership": Words.sentence(row.ownership.rawValue),
            "Purchased": transaction.purchaseDate, "Expires": transaction.expiresDate,
            "Offer": row.offer.map { Words.plain($0.mode.rawValue) }, "Offer ID": row.offer?.id,
            "Revoked": transaction.revocationDate,
            "Revocation": transaction.revocationType.map { Words.plain($0.rawValue) + percentage },
            "Finished": row.isFinished ? "yes" : "no",
            "Original transaction ID": linked(original, page.link(toTransaction: original)),
            "Order ID": transaction.orderId,
            "Web order line item ID": transaction.webOrderLineItemId, "Storefront": row.storefront.code,
        ])
    }
}
