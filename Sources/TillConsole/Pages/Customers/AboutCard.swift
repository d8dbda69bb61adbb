import TillControl
import TillCore
import TillServer
import TillShop

/// A customer's details, payment method, family and clock.
struct AboutCard: Sendable {
    let page: PageRequest
    let customer: CustomerInfo
    let ledger: CustomerLedger

    func value() async throws -> PageValue {
        let join = JoinFamily(app: ledger.app, customer: customer.customer, member: "")
        return [
            "appTransactionId": customer.appTransactionId, "storefront": customer.storefront.code,
            "downloaded": customer.hasAppTransaction ? "yes" : "no", "card": Words.card(customer.card),
            "cardStyle": customer.card == .accepted ? "good" : "bad", "asksToBuy": customer.asksToBuy,
            "transactions": customer.transactions, "owned": customer.owned.map { ledger.name(of: $0) },
            "actions": page.buttons("card", buttons), "family": try await family(),
            "join": page.form(join, "Add a family member", [.init("path.member", "Customer")]),
            "ownClock": try await ownClock(),
        ]
    }

    private var buttons: [ActionButton] {
        let (app, name, asks) = (ledger.app, customer.customer, customer.asksToBuy)
        let cards = Card.allCases.filter { $0 != customer.card }.map { card in
            let label =
                switch card {
                case .accepted: "accept payments"
                case .declinedForRenewals: "decline renewals"
                case .declined: "decline all payments"
                }
            return ActionButton("Payment method: \(label)", UpdateCustomer(app: app, customer: name, card: card))
        }
        let update = UpdateCustomer(app: app, customer: name, asksToBuy: !asks)
        return cards + [ActionButton(asks ? "Turn off Ask to Buy" : "Require Ask to Buy", update)]
    }

    private func family() async throws -> PageValue? {
        guard let picture = try await FamilyPicture(ledger) else { return nil }
        let leave = LeaveFamily(app: ledger.app, customer: customer.customer)
        return picture.value.with([
            "actions": page.buttons("leave", [.init("Leave family", leave, isDestructive: true)])
        ])
    }

    private func ownClock() async throws -> PageValue? {
        let (app, name) = (ledger.app, customer.customer)
        // The production guard permits only the return to the environment's clock.
        let isGuarded = page.shop.settings.guards(app.environment)
        guard !isGuarded || customer.clock != nil else { return nil }
        let clocks = try await page.send(ListClocks(app: app)).compactMap(\.name)
        // Suggests the customer's name only if no clock has this name.
        let isFree = customer.clock == nil && !clocks.contains(name)
        let make = page.form(
            CreateClock(app: app, name: isFree ? name : ""),
            "Create and assign clock",
            [.init("name", "Name", hint: "spring"), .init("_customer", "", .hidden, value: name)]
        )
        guard !clocks.isEmpty else { return ["make": make] }
        let names = isGuarded ? [] : clocks.prefix(100).map { ($0, $0) }
        let use = page.form(
            UpdateCustomer(app: app, customer: name, clock: customer.clock),
            "Assign clock",
            [.init("clock", "Clock", .choice([("", ClockCard.title(app.environment))] + names))]
        )
        return ["use": use, "make": isGuarded ? nil : make]
    }

    /// The form for a dry run, and the form that deletes the customer and then shows the list of customers.
    static func erase(_ page: PageRequest, _ app: AppEnvironment) -> [PageValue] {
        let dry = EraseCustomer(app: app, customer: page.customer, dryRun: true)
        let real = page.form(
            EraseCustomer(app: app, customer: page.customer),
            "Delete customer",
            [.init("removeSnapshots", "Also delete snapshots that contain the customer")],
            back: page.link(.customers),
            isDestructive: true,
            confirmation: "Permanently delete this customer's data"
        )
        return [page.form(dry, "Dry run", name: "dry"), real]
    }
}

extension Words {
    /// The status of the payment method.
    static func card(_ card: Card) -> String {
        switch card {
        case .accepted: "valid"
        case .declinedForRenewals: "declined for renewals"
        case .declined: "declined"
        }
    }
}
