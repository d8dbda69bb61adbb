import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// One customer: subscriptions, transactions, pending decisions, and the customer's actions.
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
                "clock": try await clock.value(limit: 3),
                "buy": BuyCard(page, ledger).value,
                "subscriptions": .list(try await SubscriptionCard.all(page, customer, ledger)),
                "held": try await waiting.held(),
                "requests": try await waiting.requests(),
                "notifications": RowsCard(page, ledger).notifications,
                "rows": RowsCard(page, ledger).value,
                "erase": AboutCard.erase(page),
            ]
        )
    }
}
