import TillServer
import TillShop

extension ConsolePage {
    /// One customer: what they have, what they bought, what waits, and what they can do.
    static let customer = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/customers/{customer}",
        template: Template("customer", PackageResources.customer_mustache)
    ) { page in
        let customer = try await page.ask("getCustomer")
        let ledger = try await CustomerLedger(page)
        let clock = ClockCard(
            page,
            bundleID: page.parameters["bundleId"] ?? "",
            environment: page.parameters["environment"] ?? "",
            own: customer["clock"]?.text,
            customer: ledger.account
        )
        let waiting = WaitingCards(page, ledger)
        return PageContent(
            page.parameters["customer"] ?? "",
            [
                "about": try await AboutCard(page, customer, ledger).value(),
                "clock": try await clock.value(most: 3),
                "buy": BuyCard(page, ledger).value,
                "subscriptions": .list(try await SubscriptionCard.all(page, customer, ledger)),
                "held": try await waiting.held(),
                "requests": try await waiting.requests(),
                "told": RowsCard(page, ledger).told,
                "rows": RowsCard(page, ledger).value,
                "erase": AboutCard.erase(page),
            ]
        )
    }
}
