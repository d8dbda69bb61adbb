/// One customer in one app in one environment: all that can still change by itself or by a command.
///
/// Rows of the ledger that are only history are not here; a command that needs one names it. So the cost of a purchase
/// does not grow with the length of the customer's history.
package struct Account: Codable, Equatable, Sendable {
    /// Its number is `appTransactionId`, also for a customer who never downloaded the app.
    package let id: AccountID
    /// Production and sandbox share no customers.
    package let environment: StoreEnvironment
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
    /// The customer's own, at most one for each group.
    package var subscriptions: [Subscription]
    /// What family members share, at most one for each group and member.
    package var sharedSubscriptions: [SharedSubscription]
    /// Non-consumables that the customer has or had: each purchase, and each copy of another's purchase, for itself.
    package var holdings: [Holding]
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
    /// How the customer's card behaves.
    package var card: Card
    /// Whether a parent must approve what the customer buys.
    package var asksToBuy: Bool
    /// Purchases that wait for somebody.
    package var heldPurchases: [HeldPurchase]
    /// The number of the last held purchase.
    package var heldNumber: Int64
    /// Refunds that were asked for and not decided.
    package var refundRequests: [RefundRequest]
    /// How many notifications have been made.
    package var notificationNumber: Int64
    /// The date of the last notification; the next is a millisecond later at least.
    package var lastSigned: Timestamp?
    /// The name of a clock of the customer's own (with the family); nil for that of the app's environment.
    package var clock: String?
    /// Jobs that this account has done, newest last, so that none is done twice.
    package var jobsDone: [JobResult]

    /// What was wrong with the stored account, so that not all of it could be read (`damage`). Such an account is
    /// quarantined and never written.
    package internal(set) var damageFound: String?

    /// A new customer who has bought nothing.
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
        holdings = []
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

    /// The subscription to a group that the customer bought.
    package func subscription(toGroup group: String) -> Subscription? {
        subscriptions.first { $0.groupID == group }
    }

    /// A family member's subscription to a group.
    package func sharedSubscription(toGroup group: String, from owner: AccountID) -> SharedSubscription? {
        sharedSubscriptions.first { $0.groupID == group && $0.owner == owner }
    }

    /// The customer's own subscription with an original transaction.
    package func subscription(_ original: TransactionID) -> Subscription? {
        subscriptions.first { $0.originalID == original }
    }

    /// What a family member shares, by the original transaction of the customer's copy.
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

    /// Puts a subscription in the place of the one with the same original transaction.
    package mutating func put(_ subscription: Subscription) {
        if let place = subscriptions.firstIndex(where: { $0.originalID == subscription.originalID }) {
            subscriptions[place] = subscription
        } else {
            subscriptions.append(subscription)
        }
    }

    /// Puts a shared subscription in the place of the one with the same original transaction.
    package mutating func put(_ copy: SharedSubscription) {
        if let place = sharedSubscriptions.firstIndex(where: { $0.originalID == copy.originalID }) {
            sharedSubscriptions[place] = copy
        } else {
            sharedSubscriptions.append(copy)
        }
    }

    /// The customer's own purchase of a non-consumable; nil when there is none or it was refunded.
    package func owned(_ productID: String) -> Holding? {
        holdings.first { $0.productID == productID && !$0.isRevoked && $0.ownership == .purchased }
    }

    /// Non-consumables that the customer may use now, each once.
    package var productsOwned: Set<String> { Set(holdings.filter { !$0.isRevoked }.map(\.productID)) }
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

/// A non-consumable in a customer's hands, by one purchase.
package struct Holding: Codable, Equatable, Sendable {
    /// What the customer has.
    package var productID: String
    /// The customer's own row: the purchase, or the copy of a family member's.
    package var transaction: TransactionID
    /// A purchase of one's own, or what a family member shares.
    package var ownership: Ownership
    /// For a copy: whose purchase it is.
    package var sharedFrom: AccountID?
    /// For a copy: the purchase.
    package var source: TransactionID?
    /// Access ended, but may come back when a refund is reversed.
    package var isRevoked: Bool
    /// False once the purchaser has turned family sharing off for it.
    package var isShared: Bool

    /// What was bought, and how the customer came by it.
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
    /// Renewals fail; what the customer buys by hand is paid otherwise.
    case declinedForRenewals
    /// Purchases fail too, as with the sandbox tester's switch.
    case declined
}

/// A purchase that waits (docs/api/lifecycle.md, One-time products).
package struct HeldPurchase: Codable, Equatable, Sendable {
    /// For what it waits.
    package enum Reason: String, Codable, CaseIterable, Sendable {
        /// A parent's approval.
        case askToBuy
        /// The customer, who was interrupted.
        case interrupted
    }

    /// Counts the account's held purchases, from 1.
    package var number: Int64
    /// What is bought once somebody agrees.
    package var purchase: Purchase
    /// For whom it waits.
    package var reason: Reason
    /// Since when it waits.
    package var since: Timestamp

    /// A purchase that waits.
    package init(number: Int64, purchase: Purchase, reason: Reason, since: Timestamp) {
        self.number = number
        self.purchase = purchase
        self.reason = reason
        self.since = since
    }
}

/// What came of a job in an account.
package struct JobResult: Codable, Equatable, Sendable {
    /// The job's id.
    package var job: String
    /// Nil where the job did not concern the account.
    package var succeeded: Bool?

    /// What came of a job in an account.
    package init(job: String, succeeded: Bool?) {
        self.job = job
        self.succeeded = succeeded
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
