/// One customer in one app in one realm: all that can still change by itself or by a command.
///
/// Rows of the ledger that are only history are not here; a command that needs one names it. So the cost of a purchase
/// does not grow with the length of the customer's history.
package struct Account: Codable, Equatable, Sendable {
    /// Its number is `appTransactionId`, also for a customer who never downloaded the app.
    package let id: AccountID
    /// Production and sandbox share no customers.
    package let realm: Realm
    /// The app's bundle identifier.
    package let app: String
    /// The customer's name in this store: whatever the operator calls them.
    package let customer: String
    /// Where the customer shops.
    package var storefront: Storefront
    /// Raised by one with every commit; guards against two writers.
    package var version: Int64
    /// The last change number taken.
    package var changeNumber: Int64
    /// The last refund number taken.
    package var refundNumber: Int64
    /// How many rows the account has in the ledger; `till doctor` counts them again.
    package var rowCount: Int64
    /// The last instant at which anything happened; nothing may happen before it.
    package var lastEvent: Timestamp
    /// The download of the app; nil for a customer who never downloaded it.
    package var appTransaction: AppTransaction?
    /// At most one for each group and ownership.
    package var subscriptions: [Subscription]
    /// Non-consumables that the customer owns now, by product.
    package var owned: [String: OwnedProduct]
    /// Groups in which an introductory offer was used up.
    package var introductoryOffersUsed: Set<String>
    /// Offer codes redeemed, as `product/offer`.
    package var codesRedeemed: Set<String>
    /// Nonces of the app's offer signatures, oldest first; a signature is good for one purchase.
    package var offerNonces: [String]
    /// When the last win-back offer of a group was taken.
    package var winBackOffersTaken: [String: Timestamp]
    /// Nil outside a family; set and cleared in all members' accounts at once.
    package var family: FamilyMembership?

    /// A new customer who has bought nothing.
    package init(
        id: AccountID,
        realm: Realm,
        app: String,
        customer: String,
        storefront: Storefront,
        at now: Timestamp
    ) {
        self.id = id
        self.realm = realm
        self.app = app
        self.customer = customer
        self.storefront = storefront
        version = 0
        changeNumber = 0
        refundNumber = 0
        rowCount = 0
        lastEvent = now
        appTransaction = nil
        subscriptions = []
        owned = [:]
        introductoryOffersUsed = []
        codesRedeemed = []
        offerNonces = []
        winBackOffersTaken = [:]
        family = nil
    }

    /// The subscription to a group that the customer bought, or that the family shares.
    package func subscription(toGroup group: String, _ ownership: Ownership) -> Subscription? {
        subscriptions.first { $0.groupID == group && $0.ownership == ownership }
    }

    /// Puts a subscription in the place of the one with the same group and ownership.
    package mutating func put(_ subscription: Subscription) {
        let place = subscriptions.firstIndex {
            $0.groupID == subscription.groupID && $0.ownership == subscription.ownership
        }
        if let place {
            subscriptions[place] = subscription
        } else {
            subscriptions.append(subscription)
        }
    }
}

/// A customer's download of the app.
package struct AppTransaction: Codable, Equatable, Sendable {
    /// Where the app was first downloaded.
    package enum Platform: String, Codable, CaseIterable, Sendable {
        case iOS
        case macOS
        case tvOS
        case visionOS
    }

    /// When the app was first downloaded, in milliseconds since 1970 on the wire.
    package var originalPurchaseDate: Timestamp
    /// Set by the first download; later ones leave it as it is.
    package var originalPlatform: Platform
    /// The version that was downloaded first.
    package var originalApplicationVersion: String
    /// The version on the device now.
    package var applicationVersion: String
    /// Nil as long as nobody can order ahead (docs/api/payloads.md).
    package var preorderDate: Timestamp?

    /// A download.
    package init(
        originalPurchaseDate: Timestamp,
        originalPlatform: Platform = .iOS,
        originalApplicationVersion: String = "1.0",
        applicationVersion: String = "1.0",
        preorderDate: Timestamp? = nil
    ) {
        self.originalPurchaseDate = originalPurchaseDate
        self.originalPlatform = originalPlatform
        self.originalApplicationVersion = originalApplicationVersion
        self.applicationVersion = applicationVersion
        self.preorderDate = preorderDate
    }
}

/// A non-consumable in a customer's hands.
package struct OwnedProduct: Codable, Equatable, Sendable {
    package var transaction: TransactionID
    /// A purchase of one's own, or what a family member shares.
    package var ownership: Ownership
    /// For a family member's copy: whose purchase it is.
    package var sharedFrom: AccountID?
    /// Access ended, but may come back when a refund is reversed.
    package var isRevoked: Bool

    /// What was bought, and how the customer came by it.
    package init(
        transaction: TransactionID,
        ownership: Ownership,
        sharedFrom: AccountID? = nil,
        isRevoked: Bool = false
    ) {
        self.transaction = transaction
        self.ownership = ownership
        self.sharedFrom = sharedFrom
        self.isRevoked = isRevoked
    }
}

/// A customer's place in a family: every member's account holds the same list.
package struct FamilyMembership: Codable, Equatable, Sendable {
    /// The family's name in this store.
    package var name: String
    /// Who leads it: the first member.
    package var organizer: AccountID
    /// Everybody, the organizer included; at most six, in the order of joining.
    package var members: [AccountID]

    /// A family.
    package init(name: String, organizer: AccountID, members: [AccountID]) {
        self.name = name
        self.organizer = organizer
        self.members = members
    }

    /// The most customers that a family may have.
    package static let mostMembers = 6
}
