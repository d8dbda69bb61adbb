/// The data of one customer in one app and environment that a command or a deadline can still change.
///
/// Past transactions are not part of the account. A command that needs one lists it (`Command.transactions(from:)`), so
/// the cost of a purchase does not grow with the customer's history.
package struct Account: Codable, Equatable, Sendable {
    /// The account number, which is also the `appTransactionId`, even if the customer never downloaded the app.
    package let id: AccountID
    /// The environment. No customer exists in both environments.
    package let environment: StoreEnvironment
    /// The app's bundle identifier.
    package let app: String
    /// The customer's name, which the operator chose.
    package let customer: String
    /// The storefront of the customer's purchases.
    package var storefront: Storefront
    /// The version, which each commit increases by one. It detects concurrent writers.
    package var version: Int64
    /// The highest change number that this account has used.
    package var changeNumber: Int64
    /// The highest refund number that this account has used.
    package var refundNumber: Int64
    /// The number of the account's transactions in the ledger, which `till doctor` verifies.
    package var rowCount: Int64
    /// The instant of the account's last change. No later event may have an earlier date.
    package var lastEvent: Timestamp
    /// The customer's download of the app; nil if the customer never downloaded it.
    package var appTransaction: AppTransaction?
    /// The subscriptions that the customer bought, at most one for each group.
    package var subscriptions: [Subscription]
    /// The subscriptions that family members share with the customer, at most one for each group and member.
    package var sharedSubscriptions: [SharedSubscription]
    /// The non-consumables that the customer has or had. Each purchase has an entry, and so does each copy of a family
    /// member's purchase.
    package var ownedProducts: [OwnedProduct]
    /// The groups in which the customer has used an introductory offer.
    package var introductoryOffersUsed: Set<String>
    /// The offer codes that the customer has redeemed, as `product/offer`.
    package var codesRedeemed: Set<String>
    /// The nonces of the app's offer signatures that were used, oldest first. A signature is valid for one purchase.
    package var offerNonces: [String]
    /// The instant at which the customer last redeemed a win-back offer, by group.
    package var winBackOffersTaken: [String: Timestamp]
    /// The customer's family; nil without one. The accounts of all members are always updated together.
    package var family: FamilyMembership?
    /// The result of charges to the customer's card.
    package var card: Card
    /// Whether a parent must approve the customer's purchases (Ask to Buy).
    package var asksToBuy: Bool
    /// The purchases that wait for a parent's approval or for completion by the customer.
    package var heldPurchases: [HeldPurchase]
    /// The number of the account's last held purchase.
    package var heldNumber: Int64
    /// The refund requests that have no decision yet.
    package var refundRequests: [RefundRequest]
    /// The number of notifications that were created for this account.
    package var notificationNumber: Int64
    /// The date of the last notification. The next notification is dated at least one millisecond later.
    package var lastSigned: Timestamp?
    /// The name of a separate clock, which the whole family shares; nil for the clock of the app's environment.
    package var clock: String?
    /// The results of jobs already applied to this account, newest last. They prevent a second application of a job.
    package var jobsDone: [JobResult]

    /// The `appTransactionId` that another server gave to the customer; nil unless the customer was imported.
    package var foreignID: String?

    /// The reason why the stored account could not be read completely; nil if it could (see `damage`). A damaged
    /// account is quarantined and never written.
    package internal(set) var damageFound: String?

    /// The account of a new customer, without purchases.
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
        foreignID = nil
    }

    /// The subscription that the customer bought in a group.
    package func subscription(toGroup group: String) -> Subscription? {
        subscriptions.first { $0.groupID == group }
    }

    /// The subscription in a group that a certain family member shares.
    package func sharedSubscription(toGroup group: String, from owner: AccountID) -> SharedSubscription? {
        sharedSubscriptions.first { $0.groupID == group && $0.owner == owner }
    }

    /// The customer's own subscription with this original transaction.
    package func subscription(_ original: TransactionID) -> Subscription? {
        subscriptions.first { $0.originalID == original }
    }

    /// The subscription that a family member shares, identified by the original transaction of the customer's copy.
    package func sharedSubscription(_ original: TransactionID) -> SharedSubscription? {
        sharedSubscriptions.first { $0.originalID == original }
    }

    /// The bought or shared subscription with this original transaction.
    package func heldSubscription(_ original: TransactionID) -> (any HeldSubscription)? {
        subscription(original) ?? sharedSubscription(original)
    }

    /// All bought and shared subscriptions, in the order in which they began.
    package var heldSubscriptions: [any HeldSubscription] {
        guard !sharedSubscriptions.isEmpty else { return subscriptions }
        return (subscriptions + sharedSubscriptions).sorted { $0.originalID < $1.originalID }
    }

    /// Replaces the subscription that has the same original transaction.
    package mutating func put(_ subscription: Subscription) {
        if let place = subscriptions.firstIndex(where: { $0.originalID == subscription.originalID }) {
            subscriptions[place] = subscription
        } else {
            subscriptions.append(subscription)
        }
    }

    /// Replaces the shared subscription that has the same original transaction.
    package mutating func put(_ copy: SharedSubscription) {
        if let place = sharedSubscriptions.firstIndex(where: { $0.originalID == copy.originalID }) {
            sharedSubscriptions[place] = copy
        } else {
            sharedSubscriptions.append(copy)
        }
    }

    /// The customer's own purchase of a non-consumable; nil if there is none or it was refunded.
    package func owned(_ productID: String) -> OwnedProduct? {
        ownedProducts.first { $0.productID == productID && !$0.isRevoked && $0.ownership == .purchased }
    }

    /// The identifiers of the non-consumables that the customer may use now.
    package var productsOwned: Set<String> { Set(ownedProducts.filter { !$0.isRevoked }.map(\.productID)) }
}

/// A customer's download of the app.
package struct AppTransaction: Codable, Equatable, Sendable {
    /// The instant of the first download. The payload has milliseconds since 1970.
    package var originalPurchaseDate: Timestamp
    /// The platform of the first download. Later downloads do not change it.
    package var originalPlatform: PurchasePlatform
    /// The app version of the first download.
    package var originalApplicationVersion: String
    /// The app version that is on the device now.
    package var applicationVersion: String
    /// The date of a pre-order. It is nil, because Till does not support pre-orders yet (docs/api/payloads.md).
    package var preorderDate: Timestamp?

    /// A customer's download of the app.
    package init(
        originalPurchaseDate: Timestamp,
        originalPlatform: PurchasePlatform = .iOS,
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

/// A non-consumable that a customer has through one transaction.
package struct OwnedProduct: Codable, Equatable, Sendable {
    /// The product identifier.
    package var productID: String
    /// The customer's own transaction: the purchase, or the copy of a family member's purchase.
    package var transaction: TransactionID
    /// Whether the customer bought the product, or a family member shares it.
    package var ownership: InAppOwnershipType
    /// The purchaser's account, for a copy; nil for a purchase.
    package var sharedFrom: AccountID?
    /// The purchaser's transaction, for a copy; nil for a purchase.
    package var source: TransactionID?
    /// Whether access has ended. The customer regains access if a refund is reversed.
    package var isRevoked: Bool
    /// False if the purchaser has turned family sharing off for this purchase.
    package var isShared: Bool

    /// A product and the way in which the customer got access to it.
    package init(
        productID: String,
        transaction: TransactionID,
        ownership: InAppOwnershipType,
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

/// A pending purchase: it waits for a parent (Ask to Buy) or for the customer to complete it (docs/api/lifecycle.md,
/// One-time products).
package struct HeldPurchase: Codable, Equatable, Sendable {
    /// The position in the account's held purchases, from 1.
    package var number: Int64
    /// The purchase that is performed after the approval.
    package var purchase: Purchase
    /// The reason why the purchase is on hold.
    package var reason: HeldPurchaseReason
    /// The instant from which the purchase is on hold.
    package var since: Timestamp

    /// A purchase on hold.
    package init(number: Int64, purchase: Purchase, reason: HeldPurchaseReason, since: Timestamp) {
        self.number = number
        self.purchase = purchase
        self.reason = reason
        self.since = since
    }
}

/// The result of a job in one account.
package struct JobResult: Codable, Equatable, Sendable {
    /// The identifier of the job.
    package var job: String
    /// Whether the job succeeded; nil if it did not apply to the account.
    package var succeeded: Bool?

    /// The result of a job in one account.
    package init(job: String, succeeded: Bool?) {
        self.job = job
        self.succeeded = succeeded
    }
}

/// A customer's membership in a family. The accounts of all members contain the same membership.
package struct FamilyMembership: Codable, Equatable, Sendable {
    /// The family's name, which is unique on this server.
    package var name: String
    /// The organizer, who is the first member.
    package var organizer: AccountID
    /// All members, including the organizer, in the order in which they joined; at most six.
    package var members: [AccountID]

    /// A family with its members.
    package init(name: String, organizer: AccountID, members: [AccountID]) {
        self.name = name
        self.organizer = organizer
        self.members = members
    }

    /// The maximum number of members, including the organizer.
    package static let maxMembers = 6
}
