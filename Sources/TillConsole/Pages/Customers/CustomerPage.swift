import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// One customer: subscriptions, transactions, pending decisions, and the customer's actions.
    static let customer = ConsolePage(
        "\(scope)/customers/{customer}",
        "customer",
        documentation: [.lifecycle, .offers, .operations, .families]
    ) { page in
        let app = try page.app
        let customer = try await page.send(GetCustomer(app: app, customer: page.customer))
        let ledger = try await CustomerLedger(page)
        let clock = ClockCard(page: page, app: app, own: customer.clock, customer: ledger.account)
        return [
            "title": page.customer,
            "about": try await AboutCard(page: page, customer: customer, ledger: ledger).value(),
            "clock": try await clock.value(limit: 3), "buy": ledger.purchaseForms,
            "subscriptions": try await SubscriptionCard.all(page, customer, ledger),
            "held": try await ledger.held(), "requests": try await ledger.requests(),
            "notifications": try await ledger.notifications(), "rows": try await ledger.transactions(),
            "erase": AboutCard.erase(page, app),
        ]
    }
}
