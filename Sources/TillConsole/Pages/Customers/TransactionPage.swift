import TillCore
import TillServer
import TillShop
import TillStorage

extension ConsolePage {
    /// One transaction: as it is signed, in words, and all that can be done to it.
    static let transaction = ConsolePage(
        path: RowsCard.path,
        template: Template("transaction", PackageResources.transaction_mustache)
    ) { page in
        let answer = try await page.ask("getTransaction")
        let id = page.parameters["transactionId"] ?? ""
        let customer = answer["customer"]?.text ?? ""
        let signed = answer["signedTransactionInfo"]?.text
        let renewal = answer["signedRenewalInfo"]?.text
        // The JWS is what the payload profile leaves of the row: keys may be absent or unknown.
        guard let number = Int64(id), let row = try await page.shop.storage.transaction(TransactionID(number)) else {
            throw ControlError.missing("There is no such transaction.")
        }
        func form(_ verb: String, _ label: String, _ fields: [ActForm.Field], isGrave: Bool = false) -> PageValue {
            ActForm(verb, label, fields, isGrave: isGrave).value(page)
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
                        ("device", "As the device hands it over", answer["device"]?["signedTransactionInfo"]?.text),
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
                "reverse": form("reverseRefund", "Reverse the refund", [.init("at", "When (UTC)", .instant)]),
                "refund": form(
                    "refund",
                    "Refund",
                    [
                        .init(
                            "share",
                            "How much",
                            .choice(
                                [("FULL", "All of it")]
                                    + (answer["expiresDate"] == nil ? [] : [("UNUSED", "What is unused")])
                                    + [("PART", "A part")]
                            )
                        ),
                        .init("percentage", "Percent, of a part", .thousandths, hint: "50"),
                        .init(
                            "reason",
                            "Because of",
                            .choice([("0", "Something else"), ("1", "An issue in the app")])
                        ),
                        .init("at", "When (UTC)", .instant),
                    ],
                    isGrave: true
                ),
                "request": form("requestRefund", "Ask for a refund", [.init("reason", "Why")]),
                "hasRequest": .flag(answer["refundRequest"] != nil),
                "decline": form("declineRefund", "Decline the refund", []),
                "finish": form("finishTransaction", "Finish", []),
                "trigger": form(
                    "triggerNotification",
                    "Send",
                    [
                        .init("transactionId", "", .hidden, value: id), .init("type", "What", .notice),
                    ]
                ),
            ]
        )
    }
}

/// A transaction in words.
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
        fact("Bought", at: answer["purchaseDate"]?.number)
        fact("Until", at: answer["expiresDate"]?.number)
        fact("Offer", row.offer.map { Words.plain($0.mode.rawValue) })
        fact("Offer's identifier", row.offer?.id)
        fact("Taken back", at: answer["revocationDate"]?.number)
        let percentage = row.revocation?.percentage.map { ", \(Words.percent($0))" } ?? ""
        fact("How", row.revocation.map { Words.plain($0.kind.rawValue) + percentage })
        fact("Original transaction", answer["originalTransactionId"]?.text)
        fact("Order", answer["orderId"]?.text)
        fact("Line item", answer["webOrderLineItemId"]?.text)
        fact("Storefront", row.storefront.code)
        return facts
    }
}
