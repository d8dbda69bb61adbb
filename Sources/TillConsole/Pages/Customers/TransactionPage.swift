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
        let answer = try await page.ask("getTransaction")
        let id = page.parameters["transactionId"] ?? ""
        let customer = answer["customer"]?.text ?? ""
        let signed = answer["signedTransactionInfo"]?.text
        let renewal = answer["signedRenewalInfo"]?.text
        // The payload profile can remove or add keys of the JWS, so the details come from the stored transaction.
        guard let number = Int64(id), let row = try await page.shop.storage.transaction(TransactionID(number)) else {
            throw ControlError.missing("No transaction \"\(id.prefix(64))\".")
        }
        func form(_ verb: String, _ label: String, _ fields: [ActionForm.Field], isDestructive: Bool = false)
            -> PageValue
        {
            ActionForm(verb, label, fields, isDestructive: isDestructive).value(page)
        }
        let path = "/console/apps/{bundleId}/{environment}/customers/{customer}"
        return PageContent(
            "Transaction \(id)",
            [
                "customer": .text(customer), "customerLink": PageValue(page.link(path, ["customer": customer])),
                "facts": .list(TransactionFacts.facts(of: answer, row)),
                "signed": .list(
                    [
                        ("transaction", "Signed transaction", signed), ("renewal", "Signed renewal info", renewal),
                        (
                            "device", "Signed transaction as the device receives it",
                            answer["device"]?["signedTransactionInfo"]?.text
                        ),
                    ].compactMap { id, name, jws in
                        jws.map { jws in
                            [
                                "id": .text(id), "name": .text(name), "jws": .text(jws),
                                "payload": PageValue(
                                    DecodedJWS.payload(jws).map { String(decoding: $0.written(), as: UTF8.self) }
                                ),
                            ]
                        }
                    }
                ),
                "isRefunded": .flag(row.refundNumber != nil), "isCopy": .flag(row.ownership == .familyShared),
                "reverse": form(
                    "reverseRefund",
                    "Reverse refund",
                    [.init("at", "Time of this action (UTC, empty: now)", .instant)]
                ),
                "refund": form(
                    "refund",
                    "Refund",
                    [
                        .init(
                            "share",
                            "Amount",
                            .choice(
                                [("FULL", "Full")]
                                    + (answer["expiresDate"] == nil ? [] : [("UNUSED", "Unused part")])
                                    + [("PART", "Percentage")]
                            )
                        ),
                        .init("percentage", "Percent (only for the amount “Percentage”)", .thousandths, hint: "50"),
                        .init(
                            "reason",
                            "Revocation reason",
                            .choice([("0", "Other"), ("1", "An issue in the app")])
                        ),
                        .init("at", "Time of this action (UTC, empty: now)", .instant),
                    ],
                    isDestructive: true
                ),
                "request": form("requestRefund", "Request refund", [.init("reason", "Reason")]),
                "hasRequest": .flag(answer["refundRequest"] != nil),
                "decline": form("declineRefund", "Decline refund", []),
                "finish": form("finishTransaction", "Finish transaction", []),
                "trigger": form(
                    "triggerNotification",
                    "Send notification",
                    [
                        .init("transactionId", "", .hidden, value: id), .init("type", "Type", .notice),
                    ]
                ),
            ]
        )
    }
}

/// The details of a transaction.
private enum TransactionFacts {
    static func facts(of answer: JSONTree, _ row: Transaction) -> [PageValue] {
        var facts: [PageValue] = []
        func fact(_ name: String, _ words: String?) {
            if let words { facts.append(["name": .text(name), "words": .text(words), "time": .nothing]) }
        }
        func fact(_ name: String, at milliseconds: Int64?) {
            guard let milliseconds else { return }
            facts.append(["name": .text(name), "words": .nothing, "time": Words.time(milliseconds)])
        }
        fact("Product", answer["productId"]?.text)
        fact("Type", row.type.wireName)
        fact("Quantity", answer["quantity"]?.text)
        fact("Price", Words.money(answer["price"]?.number, answer["currency"]?.text))
        fact("Reason", Words.sentence(row.reason.rawValue))
        fact("Ownership", Words.sentence(row.ownership.rawValue))
        fact("Purchased", at: answer["purchaseDate"]?.number)
        fact("Expires", at: answer["expiresDate"]?.number)
        fact("Offer", row.offer.map { Words.plain($0.mode.rawValue) })
        fact("Offer ID", row.offer?.id)
        fact("Revoked", at: answer["revocationDate"]?.number)
        let percentage = row.revocation?.percentage.map { ", \(Words.percent($0))" } ?? ""
        fact("Revocation", row.revocation.map { Words.plain($0.kind.rawValue) + percentage })
        fact("Original transaction ID", answer["originalTransactionId"]?.text)
        fact("Order ID", answer["orderId"]?.text)
        fact("Web order line item ID", answer["webOrderLineItemId"]?.text)
        fact("Storefront", row.storefront.code)
        return facts
    }
}
