import TillCore
import TillJSON
import TillServer
import TillShop

/// A customer's details, payment method, family and clock.
struct AboutCard: Sendable {
    private let page: PageRequest
    private let customer: JSONTree
    private let ledger: CustomerLedger

    init(_ page: PageRequest, _ customer: JSONTree, _ ledger: CustomerLedger) {
        self.page = page
        self.customer = customer
        self.ledger = ledger
    }

    func value() async throws -> PageValue {
        let card = customer["card"]?.text ?? ""
        return [
            "appTransactionId": PageValue(customer["appTransactionId"]?.text),
            "storefront": PageValue(customer["storefront"]?.text),
            "downloaded": .text(customer["hasAppTransaction"]?.isTrue == true ? "yes" : "no"),
            "card": .text(Words.card(card)), "cardStyle": .text(card == "accepted" ? "good" : "bad"),
            "asksToBuy": PageValue(customer["asksToBuy"]),
            "transactions": PageValue(customer["transactions"]?.text),
            "owned": .list((customer["owned"]?.elements ?? []).compactMap(\.text).map { .text(ledger.name(of: $0)) }),
            "actions": actions(card).value(page),
            "family": try await family(),
            "join": ActionForm("joinFamily", "Add a family member", [.init("customer", "Customer")]).value(page),
            "ownClock": try await ownClock(),
        ]
    }

    private func actions(_ card: String) -> ActionButtons {
        let cards: [ActionButtons.Button] = [
            .init("setCard", "Payment method: accept payments", "card", "accepted"),
            .init("setCard", "Payment method: decline renewals", "card", "declinedForRenewals"),
            .init("setCard", "Payment method: decline all payments", "card", "declined"),
        ]
        let asks = customer["asksToBuy"]?.isTrue == true
        let ask = ActionButtons.Button(
            "setAskToBuy",
            asks ? "Turn off Ask to Buy" : "Require Ask to Buy",
            "asksToBuy",
            asks ? "false" : "true"
        )
        return ActionButtons(id: "card", buttons: cards.filter { $0.field?.value != card } + [ask])
    }

    private func family() async throws -> PageValue {
        guard customer["family"] != nil else { return .nothing }
        let family = try await page.ask("getFamily")
        let path = "/console/apps/{bundleId}/{environment}/customers/{customer}"
        let organizer = family["organizer"]?.text
        return [
            "name": PageValue(family["name"]?.text),
            "members": .list(
                (family["members"]?.elements ?? []).compactMap(\.text).map { member in
                    [
                        "name": .text(member), "isOrganizer": .flag(member == organizer),
                        "link": PageValue(
                            member == page.parameters["customer"] ? nil : page.link(path, ["customer": member])
                        ),
                    ]
                }
            ),
            "actions": ActionButtons(id: "leave", buttons: [.init("leaveFamily", "Leave family", isDestructive: true)])
                .value(page),
        ]
    }

    private func ownClock() async throws -> PageValue {
        let clocks = try await page.ask("listClocks")["clocks"]?.elements ?? []
        let name = page.parameters["customer"] ?? ""
        // Suggests the customer's name only if no clock has this name.
        let isFree = customer["clock"] == nil && !clocks.contains { $0["name"]?.text == name }
        let make = ActionForm(
            "createClock",
            "Create and assign clock",
            [
                .init("name", "Name", value: isFree ? name : "", hint: "spring"),
                .init("_customer", "", .hidden, value: name),
            ]
        )
        guard !clocks.isEmpty else { return ["use": .nothing, "make": make.value(page)] }
        let names = clocks.prefix(100).compactMap { $0["name"]?.text }.map { (value: $0, name: $0) }
        let choices = [(value: "", name: ClockCard.title(page.parameters["environment"] ?? ""))] + names
        let use = ActionForm(
            "assignClock",
            "Assign clock",
            [.init("clock", "Clock", .choice(choices), value: customer["clock"]?.text ?? "")]
        )
        return ["use": use.value(page), "make": make.value(page)]
    }

    /// The form for a dry run, and the form that deletes the customer and then shows the list of customers.
    static func erase(_ page: PageRequest) -> PageValue {
        let dry = ActionForm(
            "eraseCustomer",
            "Dry run",
            [.init("dryRun", "", .hidden, value: "true")],
            name: "dry"
        )
        let real = ActionForm(
            "eraseCustomer",
            "Delete customer",
            [.init("removeSnapshots", "Also delete snapshots that contain the customer")],
            back: page.link("/console/apps/{bundleId}/{environment}/customers"),
            isDestructive: true,
            confirmation: "Permanently delete this customer's data"
        )
        return .list([dry.value(page), real.value(page)])
    }
}

extension Words {
    /// The status of the payment method.
    static func card(_ card: String) -> String {
        switch card {
        case "accepted": "valid"
        case "declinedForRenewals": "declined for renewals"
        default: plain(card)
        }
    }
}
