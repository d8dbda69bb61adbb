import TillServer
import TillShop

extension ConsolePage {
    /// One customer: what they have, what they bought, and what they can do.
    static let customer = ConsolePage(
        path: "/console/apps/{bundleId}/{realm}/customers/{customer}",
        template: Template("customer", PackageResources.customer_mustache)
    ) { page in
        let customer = try await page.ask("getCustomer")
        let name = page.parameters["customer"] ?? ""
        let card = ClockCard(
            page,
            bundleID: page.parameters["bundleId"] ?? "",
            realm: page.parameters["realm"] ?? "",
            own: customer["clock"]?.text
        )
        let clock = try await card.value(most: 3)
        return PageContent(
            name,
            [
                "customer": PageValue(customer), "clock": clock,
                "cardWords": PageValue(customer["card"]?.text.map(Words.plain)),
                "subscriptions": .list((customer["subscriptions"]?.elements ?? []).map(CustomerParts.subscription)),
                "rows": try await CustomerParts.rows(page),
                "buy": try await CustomerParts.buy(page),
            ]
        )
    }
}

/// The parts of a customer's page.
private enum CustomerParts {
    static func subscription(_ subscription: JSONTree) -> PageValue {
        PageValue(subscription).with([
            "state": SubscriptionWords.status(subscription),
            "expires": Words.time(subscription["expiresDate"]?.number),
        ])
    }

    static func rows(_ page: PageRequest) async throws -> PageValue {
        let after = page.value("after").map { [(name: "after", value: $0)] } ?? []
        let answer = try await page.ask("listTransactions", query: [(name: "limit", value: "50")] + after)
        let rows = (answer["transactions"]?.elements ?? []).map { row -> PageValue in
            [
                "id": PageValue(row["transactionId"]?.text), "product": PageValue(row["productId"]?.text),
                "reason": PageValue(row["transactionReason"]?.text.map(Words.sentence)),
                "bought": Words.time(row["purchaseDate"]?.number), "expires": Words.time(row["expiresDate"]?.number),
                "price": PageValue(Words.money(row["price"]?.number, row["currency"]?.text)),
                "offer": PageValue(row["offerDiscountType"]?.text.map(Words.plain)),
                "revoked": Words.time(row["revocationDate"]?.number), "isUpgraded": PageValue(row["isUpgraded"]),
                "isShared": .flag(row["inAppOwnershipType"]?.text == "FAMILY_SHARED"),
            ]
        }
        let path = "/console/apps/{bundleId}/{realm}/customers/{customer}"
        let next = answer["next"]?.text.flatMap { page.link(path, query: [(name: "after", value: $0)]) }
        return ["rows": .list(rows), "next": PageValue(next)]
    }

    static func buy(_ page: PageRequest) async throws -> PageValue {
        let products = try await page.ask("getCatalog")["products"]?.elements ?? []
        let choices = products.filter { $0["forSale"]?.isTrue == true }.compactMap { product in
            product["productId"]?.text.map { (value: $0, name: "\(product["referenceName"]?.text ?? $0) (\($0))") }
        }
        // A list that nobody reads through is no help.
        let isShort = (1...200).contains(choices.count)
        return ActForm(
            "buy",
            "Buy",
            [
                .init("productId", "Product", isShort ? .choice(choices) : nil),
                .init("quantity", "Quantity", hint: "of consumables"),
                .init(
                    "offer.kind",
                    "Offer",
                    .choice([
                        ("", "What applies"), ("NONE", "None"), ("INTRODUCTORY", "Introductory"), ("CODE", "Code"),
                        ("WIN_BACK", "Win-back"),
                    ])
                ),
                .init("offer.id", "Offer's identifier", hint: "for a code or a win-back offer"),
            ]
        ).value(page)
    }
}
