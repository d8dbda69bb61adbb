import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage

/// A family as a tree of boxes, shown by `{{>family}}`: the organizer, the members, and what each of them gives to the
/// others and has from them.
struct FamilyPicture: Sendable {
    let ledger: CustomerLedger
    private let family: FamilyMembership
    /// The accounts of the members, the organizer first.
    private let members: [Account]

    /// - Returns: nil for a customer without a family.
    init?(_ ledger: CustomerLedger) async throws {
        guard let family = ledger.account.family else { return nil }
        (self.ledger, self.family) = (ledger, family)
        var members: [Account] = []
        for id in [family.organizer] + family.members.filter({ $0 != family.organizer }) {
            // The page shows one state of the customer, even if it changes meanwhile.
            if id == ledger.account.id {
                members.append(ledger.account)
            } else if let account = try await ledger.page.shop.storage.account(id) {
                members.append(account)
            }
        }
        self.members = members
    }

    /// The value for `{{>family}}`.
    var value: PageValue {
        let boxes = members.map { box($0) }
        return ["name": family.name, "organizer": boxes.first, "members": Array(boxes.dropFirst())]
    }

    private func box(_ member: Account) -> PageValue {
        let isCurrent = member.id == ledger.account.id
        return [
            "name": member.customer, "isOrganizer": member.id == family.organizer, "isCurrent": isCurrent,
            "link": isCurrent ? nil : ledger.page.link(toCustomer: member.customer),
            "shares": shares(of: member), "has": has(member),
            "isAlone": shares(of: member).isEmpty && has(member).isEmpty,
        ]
    }

    /// The products that a member bought and shares.
    private func shares(of member: Account) -> [PageValue] {
        let owned = member.ownedProducts
            .filter { $0.ownership == .purchased && $0.isShared && !$0.isRevoked && isShareable($0.productID) }
        let subscriptions = member.subscriptions
            .filter { $0.isShared && $0.state.isOpen && isShareable($0.latestTransaction.productID) }
        var rows: [PageValue] = owned.map { ["product": ledger.name(of: $0.productID)] }
        for subscription in subscriptions {
            let product = ledger.name(of: subscription.latestTransaction.productID)
            rows.append(["product": product, "state": SubscriptionCard.status(subscription.status)])
        }
        return rows
    }

    /// The products to which a member has access because another member shares them.
    private func has(_ member: Account) -> [PageValue] {
        let owned = member.ownedProducts.filter { $0.ownership == .familyShared && !$0.isRevoked }
        var rows: [PageValue] = owned.map {
            ["product": ledger.name(of: $0.productID), "from": name(of: $0.sharedFrom)]
        }
        for subscription in member.sharedSubscriptions where subscription.isLive {
            let product = ledger.name(of: subscription.latestTransaction.productID)
            let state = SubscriptionCard.status(subscription.status)
            rows.append(["product": product, "state": state, "from": name(of: subscription.owner)])
        }
        return rows
    }

    private func isShareable(_ product: String) -> Bool {
        ledger.catalog.products[product]?.isFamilyShareable == true
    }

    /// The name of the purchaser; a fixed text for a purchaser who does not exist on this server.
    private func name(of owner: AccountID?) -> String {
        guard let owner else { return "a customer of another server" }
        return members.first { $0.id == owner }?.customer ?? "a former member"
    }
}
