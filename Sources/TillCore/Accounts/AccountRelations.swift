/// The references from an account to other accounts: its family, its purchases, and the purchases that others share
/// with it. The value is small, so that the relations of many accounts can be compared at once.
package struct AccountRelations: Equatable, Sendable {
    /// A copy of another member's purchase that still gives access.
    private enum Copy: Equatable {
        case subscription(group: String, owner: AccountID)
        case product(source: TransactionID?, owner: AccountID)

        var owner: AccountID {
            switch self {
            case .subscription(_, let owner), .product(_, let owner): owner
            }
        }
    }

    private let account: AccountID
    private let environment: StoreEnvironment
    private let app: String
    private let clock: String?
    private let family: FamilyMembership?
    /// The groups in which the customer bought a subscription.
    private let groups: Set<String>
    /// The customer's own purchases of non-consumables.
    private let purchases: Set<TransactionID>
    private let copies: [Copy]

    /// The relations of an account.
    package init(_ account: Account) {
        self.account = account.id
        environment = account.environment
        app = account.app
        clock = account.clock
        family = account.family
        var copies: [Copy] = []
        for copy in account.sharedSubscriptions where copy.isLive {
            if let owner = copy.owner { copies.append(.subscription(group: copy.groupID, owner: owner)) }
        }
        var purchases: Set<TransactionID> = []
        for ownedProduct in account.ownedProducts {
            if ownedProduct.ownership == .purchased {
                purchases.insert(ownedProduct.transaction)
            } else if let owner = ownedProduct.sharedFrom, !ownedProduct.isRevoked {
                copies.append(.product(source: ownedProduct.source, owner: owner))
            }
        }
        groups = Set(account.subscriptions.map(\.groupID))
        self.purchases = purchases
        self.copies = copies
    }

    /// Whether the account refers to no other account, so that no comparison is necessary.
    package var isAlone: Bool { family == nil && copies.isEmpty }

    /// A contradiction between this account and others: a clause without a full stop; nil if there is none.
    ///
    /// - Parameter others: Returns the relations of another account; nil if that account does not exist.
    package func fault(among others: (AccountID) -> AccountRelations?) -> String? {
        if let family {
            for member in family.members where member != account {
                guard let other = others(member) else {
                    return "its family \(family.name) names account \(member.number), which does not exist"
                }
                guard other.environment == environment, other.app == app else {
                    return "its family \(family.name) names account \(member.number) of another app or environment"
                }
                guard other.family == family else {
                    return "its family \(family.name) names account \(member.number), which is not in this family"
                }
                guard other.clock == clock else {
                    return "account \(member.number) of its family \(family.name) uses another clock"
                }
            }
        }
        for copy in copies {
            guard family?.members.contains(copy.owner) == true, copy.owner != account, let owner = others(copy.owner)
            else { return "account \(copy.owner.number) shares with it and is not in its family" }
            switch copy {
            case .subscription(let group, _) where !owner.groups.contains(group):
                return "account \(copy.owner.number) shares a subscription to \(group) that it does not have"
            case .product(let source?, _) where !owner.purchases.contains(source):
                return "account \(copy.owner.number) shares transaction \(source.number), which it does not have"
            case .subscription, .product: continue
            }
        }
        return nil
    }
}
