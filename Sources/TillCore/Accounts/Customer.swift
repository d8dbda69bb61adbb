/// One customer in one app and environment: everything that can still change, through time or a command.
///
/// Ledger transactions that are only history are not part of it; a command that needs one names it. So the cost of a purchase
/// does not grow with the customer's history.
package struct Account: Codable, Equatable, Sendable {
    /// The number is the `appTransactionId`, even for a customer who never downloaded the app.
    package let id: AccountID
    /// Production and sandbox share no customers.
    package let environment: StoreEnvironment
    /// The app's bundle identifier.
    package let app: String
    /// The customer's name, as the operator chose it.
    package let customer: String
    /// The storefront where the customer buys.
    package var storefront: Storefront
    /// Raised by one with every commit; detects concurrent writers.
    package var version: Int64
    /// The last change number that was used.
    package var changeNumber: Int64
    /// The last refund number that was used.
    package var refundNumber: Int64
    /// How many transactions the account has in the ledger; `till doctor` verifies it.
    package var rowCount: Int64
    /// When the account last changed; no event may be earlier.
    package var lastEvent: Timestamp
    /// The download of the app; nil for a customer who never downloaded it.
    package var appTransaction: AppTransaction?
    /// The customer's own, at most one in each group.
    package var subscriptions: [Subscription]
    /// Shared by family members, at most one for each group and member.
    package var sharedSubscriptions: [SharedSubscription]
    /// Non-consumables that the customer has or had: an entry for each purchase and for each copy of another's
    /// purchase.
    package var ownedProducts: [OwnedProduct]
    /// Groups in which an introductory offer was used up.
    package var introductoryOffersUsed: Set<String>
    /// Offer codes redeemed, as `product/offer`.
    package var codesRedeemed: Set<String>
    /// Nonces of the app's offer signatures, oldest first; a signature is valid for one purchase.
    package var offerNonces: [String]
    /// When the last win-back offer of a group was redeemed.
    package var winBackOffersTaken: [String: Timestamp]
    /// Nil outside a family; always updated in all members' accounts together.
    package var family: FamilyMembership?
    /// How charges to the customer's card behave.
    package var card: Card
    /// Whether a parent must approve what the customer buys.
    package var asksToBuy: Bool
    /// Purchases that wait for approval or completion.
    package var heldPurchases: [HeldPurchase]
    /// The number of the last held purchase.
    package var heldNumber: Int64
    /// Refund requests without a decision.
    package var refundRequests: [RefundRequest]
    /// How many notifications have been made.
    package var notificationNumber: Int64
    /// The date of the last notification; the next one is at least a millisecond later.
    package var lastSigned: Timestamp?
    /// The name of a separate clock (shared by the family); nil for the clock of the app's environment.
    package var clock: String?
    /// Jobs that this account has done, newest last, so that none is done twice.
    package var jobsDone: [JobResult]

    /// What was wrong with the stored account so that it could not be read completely (`damage`). Such an account is
    /// quarantined and never written.
    package internal(set) var damageFound: String?

    /// A new customer without purchases.
    package init(
        id: AccountID,
        environment: StoreEnvironment,
        app: String,
        customer: String,
        storefront: Storefront,
        at now: Timestamp
    ) {
        self.id = id
        self.environment = environment
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
        sharedSubscriptions = []
        damageFound = nil
        ownedProducts = []
        introductoryOffersUsed = []
        codesRedeemed = []
        offerNonces = []
        winBackOffersTaken = [:]
        family = nil
        card = .accepted
        asksToBuy = false
        heldPurchases = []
        heldNumber = 0
        refundRequests = []
        notificationNumber = 0
        lastSigned = nil
        clock = nil
        jobsDone = []
    }

    /// The subscription that the customer bought in a group.
    package func subscription(toGroup group: String) -> Subscription? {
        subscriptions.first { $0.groupID == group }
    }

    /// A family member's shared subscription in a group.
    package func sharedSubscription(toGroup group: String, from owner: AccountID) -> SharedSubscription? {
        sharedSubscriptions.first { $0.groupID == group && $0.owner == owner }
    }

    /// The customer's own subscription with an original transaction.
    package func subscription(_ original: TransactionID) -> Subscription? {
        subscriptions.first { $0.originalID == original }
    }

    /// A subscription shared by a family member, by the original transaction of the customer's copy.
    package func sharedSubscription(_ original: TransactionID) -> SharedSubscription? {
        sharedSubscriptions.first { $0.originalID == original }
    }

    /// The subscription with an original transaction, bought or shared.
    package func heldSubscription(_ original: TransactionID) -> (any HeldSubscription)? {
        subscription(original) ?? sharedSubscription(original)
    }

    /// All subscriptions, bought and shared, in the order in which they began.
    package var heldSubscriptions: [any HeldSubscription] {
        guard !sharedSubscriptions.isEmpty else { return subscriptions }
        return (subscriptions + sharedSubscriptions).sorted { $0.originalID < $1.originalID }
    }

    /// Replaces the subscription with the same original transaction.
    package mutating func put(_ subscription: Subscription) {
        if let place = subscriptions.firstIndex(where: { $0.originalID == subscription.originalID }) {
            subscriptions[place] = subscription
        } else {
            subscriptions.append(subscription)
        }
    }

    /// Replaces the shared subscription with the same original transaction.
    package mutating func put(_ copy: SharedSubscription) {
        if let place = sharedSubscriptions.firstIndex(where: { $0.originalID == copy.originalID }) {
            sharedSubscriptions[place] = copy
        } else {
            sharedSubscriptions.append(copy)
        }
    }

    /// The customer's own purchase of a non-consumable; nil when there is none or it was refunded.
    package func owned(_ productID: String) -> OwnedProduct? {
        ownedProducts.first { $0.productID == productID && !$0.isRevoked && $0.ownership == .purchased }
    }

    /// The non-consumables that the customer may use now, each once.
    package var productsOwned: Set<String> { Set(ownedProducts.filter { !$0.isRevoked }.map(\.productID)) }
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
    /// Set by the first download; later ones do not change it.
    package var originalPlatform: Platform
    /// The version that was first downloaded.
    package var originalApplicationVersion: String
    /// The version on the device now.
    package var applicationVersion: String
    /// Nil, because pre-orders are not supported yet (docs/api/payloads.md).
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

/// A non-consumable that a customer has through one purchase.
package struct OwnedProduct: Codable, Equatable, Sendable {
    /// The product.
    package var productID: String
    /// The customer's own transaction: the purchase, or the copy of a family member's.
    package var transaction: TransactionID
    /// Purchased, or shared by a family member.
    package var ownership: Ownership
    /// For a copy: the purchaser's account.
    package var sharedFrom: AccountID?
    /// For a copy: the purchaser's transaction.
    package var source: TransactionID?
    /// Access ended, but may return when a refund is reversed.
    package var isRevoked: Bool
    /// False once the purchaser has turned family sharing off for it.
    package var isShared: Bool

    /// A product and how the customer got it.
    package init(
        productID: String,
        transaction: TransactionID,
        ownership: Ownership,
        sharedFrom: AccountID? = nil,
        source: TransactionID? = nil,
        isRevoked: Bool = false,
        isShared: Bool = true
    ) {
        self.productID = productID
        self.transaction = transaction
        self.ownership = ownership
        self.sharedFrom = sharedFrom
        self.source = source
        self.isRevoked = isRevoked
        self.isShared = isShared
    }
}

/// How a customer's card behaves (docs/api/lifecycle.md, Billing).
package enum Card: String, Codable, CaseIterable, Sendable {
    case accepted
    /// Renewals fail; purchases by the customer succeed with another payment method.
    case declinedForRenewals
    /// Purchases fail, too, as with the switch for sandbox testers.
    case declined
}

/// A purchase on hold (docs/api/lifecycle.md, One-time products).
package struct HeldPurchase: Codable, Equatable, Sendable {
    /// Why it is on hold.
    package enum Reason: String, Codable, CaseIterable, Sendable {
        /// A parent's approval.
        case askToBuy
        /// The customer must complete an interrupted purchase.
        case interrupted
    }

    /// Counts the account's held purchases, from 1.
    package var number: Int64
    /// The purchase to make after approval.
    package var purchase: Purchase
    /// Why it is on hold.
    package var reason: Reason
    /// Since when it is on hold.
    package var since: Timestamp

    /// A purchase on hold.
    package init(number: Int64, purchase: Purchase, reason: Reason, since: Timestamp) {
        self.number = number
        self.purchase = purchase
        self.reason = reason
        self.since = since
    }
}

/// The result of a job for an account.
package struct JobResult: Codable, Equatable, Sendable {
    /// The job's id.
    package var job: String
    /// Nil where the job did not apply to the account.
    package var succeeded: Bool?

    /// The result of a job for an account.
    package init(job: String, succeeded: Bool?) {
        self.job = job
        self.succeeded = succeeded
    }
}

/// A customer's membership in a family: every member's account contains the same list.
package struct FamilyMembership: Codable, Equatable, Sendable {
    /// The family's name in this store.
    package var name: String
    /// The first member, who leads the family.
    package var organizer: AccountID
    /// All members, the organizer included; at most six, in the order of joining.
    package var members: [AccountID]

    /// A family.
    package init(name: String, organizer: AccountID, members: [AccountID]) {
        self.name = name
        self.organizer = organizer
        self.members = members
    }

    /// The maximum number of members.
    package static let maxMembers = 6
}
