import TillCore
import TillServer
import TillShop

/// Who a customer is, how they pay, and with whom they share.
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
            "acts": acts(card).value(page),
            "family": try await family(),
            "join": ActForm("joinFamily", "Let them join", [.init("customer", "A customer of the environment")]).value(
                page
            ),
            "ownClock": try await ownClock(),
        ]
    }

    private func acts(_ card: String) -> ActButtons {
        let cards: [ActButtons.Button] = [
            .init("setCard", "The card is accepted", "card", "accepted"),
            .init("setCard", "Decline renewals", "card", "declinedForRenewals"),
            .init("setCard", "Decline everything", "card", "declined"),
        ]
        let asks = customer["asksToBuy"]?.isTrue == true
        let ask = ActButtons.Button(
            "setAskToBuy",
            asks ? "May buy without asking" : "Must ask to buy",
            "asksToBuy",
            asks ? "false" : "true"
        )
        return ActButtons(id: "card", buttons: cards.filter { $0.field?.value != card } + [ask])
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
            "acts": ActButtons(id: "leave", buttons: [.init("leaveFamily", "Leave the family", isGrave: true)])
                .value(page),
        ]
    }

    private func ownClock() async throws -> PageValue {
        let clocks = try await page.ask("listClocks")["clocks"]?.elements ?? []
        let name = page.parameters["customer"] ?? ""
        // Who has one makes no other of the same name by accident.
        let isFree = customer["clock"] == nil && !clocks.contains { $0["name"]?.text == name }
        let make = ActForm(
            "createClock",
            "Make a clock and live by it",
            [
                .init("name", "Name", value: isFree ? name : "", hint: "spring"),
                .init("_customer", "", .hidden, value: name),
            ]
        )
        guard !clocks.isEmpty else { return ["use": .nothing, "make": make.value(page)] }
        let names = clocks.prefix(100).compactMap { $0["name"]?.text }.map { (value: $0, name: $0) }
        let choices = [(value: "", name: "The environment's")] + names
        let use = ActForm(
            "useClock",
            "Live by this clock",
            [.init("clock", "Clock", .choice(choices), value: customer["clock"]?.text ?? "")]
        )
        return ["use": use.value(page), "make": make.value(page)]
    }

    /// What would go, and the erasure itself, after which there is no page of the customer to come back to.
    static func erase(_ page: PageRequest) -> PageValue {
        let dry = ActForm(
            "eraseCustomer",
            "Only say what would go",
            [.init("dryRun", "", .hidden, value: "true")],
            name: "dry"
        )
        let real = ActForm(
            "eraseCustomer",
            "Erase",
            [.init("removeSnapshots", "With the snapshots in which the customer stands")],
            back: page.link("/console/apps/{bundleId}/{environment}/customers"),
            isGrave: true,
            confirmation: "Everything that names this customer goes"
        )
        return .list([dry.value(page), real.value(page)])
    }
}

extension Words {
    /// How a card behaves.
    static func card(_ card: String) -> String {
        switch card {
        case "accepted": "accepted"
        case "declinedForRenewals": "declined for renewals"
        default: plain(card)
        }
    }
}
