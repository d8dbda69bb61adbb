import TillControl
import TillCore
import TillServer
import TillShop

/// A customer's details, payment method, family and clock.
struct AboutCard: Sendable {
    private let page: PageRequest
    private let customer: CustomerInfo
    private let ledger: CustomerLedger

    init(_ page: PageRequest, _ customer: CustomerInfo, _ ledger: CustomerLedger) {
        self.page = page
        self.customer = customer
        self.ledger = ledger
    }

    func value() async throws -> PageValue {
        let join = JoinFamily(app: ledger.app, customer: customer.customer, member: "")
        return [
            "appTransactionId": .text(customer.appTransactionId), "storefront": .text(customer.storefront.code),
            "downloaded": .text(customer.hasAppTransaction ? "yes" : "no"),
            "card": .text(Words.card(customer.card)), "cardStyle": .text(customer.card == .accepted ? "good" : "bad"),
            "asksToBuy": .flag(customer.asksToBuy), "transactions": PageValue(customer.transactions),
            "owned": .list(customer.owned.map { .text(ledger.name(of: $0)) }),
            "actions": actions.value(page),
            "family": try await family(),
            "join": ActionForm(join, "Add a family member", [.init("path.member", "Customer")]).value(page),
            "ownClock": try await ownClock(),
        ]
    }

    private var actions: ActionButtons {
        let (app, name, asks) = (ledger.app, customer.customer, customer.asksToBuy)
        let cards = Card.allCases.filter { $0 != customer.card }.map { card in
            ActionButtons.Button(
                "Payment method: \(Words.effect(of: card))",
                UpdateCustomer(app: app, customer: name, card: card)
            )
        }
        let ask = ActionButtons.Button(
            asks ? "Turn off Ask to Buy" : "Require Ask to Buy",
            UpdateCustomer(app: app, customer: name, asksToBuy: !asks)
        )
        return ActionButtons(id: "card", buttons: cards + [ask])
    }

    private func family() async throws -> PageValue {
        guard customer.family != nil else { return .nothing }
        let family = try await page.send(GetFamily(app: ledger.app, customer: customer.customer))
        let leave = LeaveFamily(app: ledger.app, customer: customer.customer)
        return [
            "name": .text(family.name),
            "members": .list(
                family.members.map { member in
                    [
                        "name": .text(member), "isOrganizer": .flag(member == family.organizer),
                        "link": PageValue(member == customer.customer ? nil : page.link(toCustomer: member)),
                    ]
                }
            ),
            "actions": ActionButtons(id: "leave", buttons: [.init("Leave family", leave, isDestructive: true)])
                .value(page),
        ]
    }

    private func ownClock() async throws -> PageValue {
        let clocks = try await page.send(ListClocks(app: ledger.app)).compactMap(\.name)
        let name = customer.customer
        // Suggests the customer's name only if no clock has this name.
        let isFree = customer.clock == nil && !clocks.contains(name)
        let make = ActionForm(
            CreateClock(app: ledger.app, name: isFree ? name : ""),
            "Create and assign clock",
            [.init("name", "Name", hint: "spring"), .init("_customer", "", .hidden, value: name)]
        )
        // The production guard permits only the return to the environment's clock.
        let isGuarded = page.shop.isGuarded(ledger.app.environment)
        guard !isGuarded || customer.clock != nil else { return ["use": .nothing, "make": .nothing] }
        guard !clocks.isEmpty else { return ["use": .nothing, "make": make.value(page)] }
        let names = isGuarded ? [] : clocks.prefix(100).map { (value: $0, name: $0) }
        let choices = [(value: "", name: ClockCard.title(ledger.app.environment))] + names
        let use = ActionForm(
            UpdateCustomer(app: ledger.app, customer: name, clock: customer.clock),
            "Assign clock",
            [.init("clock", "Clock", .choice(choices))]
        )
        return ["use": use.value(page), "make": isGuarded ? .nothing : make.value(page)]
    }

    /// The form for a dry run, and the form that deletes the customer and then shows the list of customers.
    static func erase(_ page: PageRequest, _ app: AppEnvironment) -> PageValue {
        let dry = ActionForm(EraseCustomer(app: app, customer: page.customer, dryRun: true), "Dry run", name: "dry")
        let real = ActionForm(
            EraseCustomer(app: app, customer: page.customer),
            "Delete customer",
            [.init("removeSnapshots", "Also delete snapshots that contain the customer")],
            back: page.link(ConsolePage.customersPath),
            isDestructive: true,
            confirmation: "Permanently delete this customer's data"
        )
        return .list([dry.value(page), real.value(page)])
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

    /// What happens with payments.
    fileprivate static func effect(of card: Card) -> String {
        switch card {
        case .accepted: "accept payments"
        case .declinedForRenewals: "decline renewals"
        case .declined: "decline all payments"
        }
    }
}
