import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// One customer: subscriptions, transactions, pending decisions, and the customer's actions.
    static let customer = ConsolePage("\(scope)/customers/{customer}", "customer") { page in
        let app = try page.app
        let customer = try await page.send(GetCustomer(app: app, customer: page.customer))
        let ledger = try await CustomerLedger(page)
        let clock = ClockCard(page: page, app: app, own: customer.clock, customer: ledger.account)
        let waiting = WaitingCards(page: page, ledger: ledger)
        let rows = RowsCard(page: page, ledger: ledger)
        return [
            "title": page.customer,
            "about": try await AboutCard(page: page, customer: customer, ledger: ledger).value(),
            "clock": try await clock.value(limit: 3), "buy": BuyCard(page: page, ledger: ledger).value,
            "subscriptions": try await SubscriptionCard.all(page, customer, ledger),
            "held": try await waiting.held(), "requests": try await waiting.requests(),
            "notifications": rows.notifications, "rows": try await rows.value(),
            "erase": AboutCard.erase(page, app),
        ]
    }
}
