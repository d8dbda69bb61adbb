import TillControl
import TillServer
import TillShop

extension ConsolePage {
    static let customerPath = "/console/apps/{bundleId}/{environment}/customers/{customer}"

    /// One customer: subscriptions, transactions, pending decisions, and the customer's actions.
    static let customer = ConsolePage(
        path: customerPath,
        template: Template("customer", PackageResources.customer_mustache)
    ) { page in
        let app = try page.app
        let customer = try await page.send(GetCustomer(app: app, customer: page.customer))
        let ledger = try await CustomerLedger(page)
        let clock = ClockCard(page, app, own: customer.clock, customer: ledger.account)
        let waiting = WaitingCards(page, ledger)
        let rows = RowsCard(page, ledger)
        return PageContent(
            page.customer,
            [
                "about": try await AboutCard(page, customer, ledger).value(),
                "clock": try await clock.value(limit: 3),
                "buy": BuyCard(page, ledger).value,
                "subscriptions": .list(try await SubscriptionCard.all(page, customer, ledger)),
                "held": try await waiting.held(),
                "requests": try await waiting.requests(),
                "notifications": rows.notifications,
                "rows": try await rows.value(),
                "erase": AboutCard.erase(page, app),
            ]
        )
    }
}
