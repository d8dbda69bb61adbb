/// An action on an account. Where it affects the customer's family, it also changes the members' accounts.
package enum Command: Sendable {
    case purchase(Purchase)
    /// The app finished the transaction. This changes no payload.
    case finish(TransactionID)
    case setAppAccountToken(TransactionID, token: String)
    /// The account joins the family of another account, which becomes the organizer of a new family.
    ///
    /// `linksCopies`: whether copies whose purchaser was on another server become copies of the family's purchases.
    case joinFamily(of: AccountID, named: String, linksCopies: Bool = false)
    case leaveFamily
    /// The purchaser turns family sharing on or off for one purchase, which the original transaction identifies.
    case shareWithFamily(TransactionID, Bool)
    /// The device downloads the app for the first time, or reports a newer version.
    case downloadApp(AppTransaction)
    /// Turns auto-renewal off for a subscription, which the original transaction identifies.
    case turnAutoRenewOff(TransactionID)
    case turnAutoRenewOn(TransactionID)
    case update(AccountUpdate)
    /// Approves or declines a held purchase.
    case decideHeldPurchase(number: Int64, approved: Bool)
    /// The customer accepts a price increase that needs consent.
    case acceptPriceIncrease(TransactionID)
    case declinePriceIncrease(TransactionID)
    case requestRefund(TransactionID, ConsumptionRequestReason)
    case reportConsumption(TransactionID, ConsumptionReport)
    /// A refund by the operator, with or without a request.
    case refund(Refund)
    /// Declines a refund request.
    case declineRefund(TransactionID)
    case reverseRefund(TransactionID)
    case extend(Extension)
    /// Applies a job to this account.
    case job(Job)
    /// Processes the events that are due, and nothing else.
    case processDue

    /// Sets whether the customer's card is accepted.
    package static func useCard(_ card: Card) -> Command { .update(AccountUpdate(card: card)) }

    /// Sets whether a parent must approve the customer's purchases.
    package static func setAskToBuy(_ asks: Bool) -> Command { .update(AccountUpdate(asksToBuy: asks)) }

    /// Moves the account and its family to another clock; nil stands for the clock of the app's environment.
    package static func useClock(_ own: String?) -> Command {
        .update(AccountUpdate(clock: own.map(AccountUpdate.Clock.own) ?? .ofEnvironment))
    }

    /// The ledger transactions that the rules need for this command, in addition to the accounts.
    ///
    /// - Parameter accounts: The account of the command and the accounts of its family.
    package func transactions(from accounts: [Account]) -> [TransactionID] {
        let named: [TransactionID] =
            switch self {
            case .finish(let id), .setAppAccountToken(let id, _), .reverseRefund(let id), .requestRefund(let id, _),
                .reportConsumption(let id, _), .declineRefund(let id), .shareWithFamily(let id, _):
                [id]
            case .refund(let refund): [refund.transaction]
            case .purchase(let purchase): Command.owned(purchase.productID, by: accounts)
            case .decideHeldPurchase(let number, true):
                accounts.flatMap(\.heldPurchases).filter { $0.number == number }
                    .flatMap { Command.owned($0.purchase.productID, by: accounts) }
            default: []
            }
        let asked = accounts.flatMap { $0.refundRequests.map(\.transaction) }
        let copies: [TransactionID] =
            switch self {
            case .refund, .reverseRefund, .joinFamily, .leaveFamily, .shareWithFamily, .job, .requestRefund:
                Command.copies(in: accounts)
            default: asked.isEmpty ? [] : Command.copies(in: accounts)
            }
        var seen: Set<TransactionID> = []
        return (named + asked + copies).filter { seen.insert($0).inserted }
    }

    /// The maximum number of ids that the command needs. Each transaction that it may create needs a transaction id, a
    /// line item id and an order id.
    ///
    /// - Parameter accounts: The account of the command and all other accounts that it affects.
    package func maxIdentifiers(for accounts: [Account]) -> Int64 {
        let members = Int64(accounts.count)
        let ownedProducts = accounts.reduce(0) {
            $0 + $1.ownedProducts.count + $1.subscriptions.count + $1.sharedSubscriptions.count
        }
        // A command may cause overdue charges. At most this many are made together with the command, each with its
        // copies for the family.
        return 3 * members * Int64(ownedProducts + 1 + Ledger.maxFreedAtOnce)
    }

    /// The customer's purchases of a non-consumable. Buying it again returns the existing transaction.
    private static func owned(_ productID: String, by accounts: [Account]) -> [TransactionID] {
        accounts.compactMap { $0.owned(productID)?.transaction }
    }

    private static func copies(in accounts: [Account]) -> [TransactionID] {
        accounts.flatMap(\.ownedProducts).filter { $0.ownership == .familyShared }.map(\.transaction).sorted()
    }
}

/// A change of a customer's payment method, Ask to Buy and clock. What is nil stays.
package struct AccountUpdate: Equatable, Sendable {
    /// A clock for the account and its family.
    package enum Clock: Equatable, Sendable {
        /// The clock of the app's environment.
        case ofEnvironment
        /// The customer clock with a name.
        case own(String)

        /// The name of the customer clock; nil for the clock of the app's environment.
        package var name: String? { if case .own(let name) = self { name } else { nil } }
    }

    /// Whether the card is accepted.
    package var card: Card?
    /// Whether a parent must approve the customer's purchases.
    package var asksToBuy: Bool?
    /// The clock of the account and its family.
    package var clock: Clock?

    /// A change of the values that are not nil.
    package init(card: Card? = nil, asksToBuy: Bool? = nil, clock: Clock? = nil) {
        self.card = card
        self.asksToBuy = asksToBuy
        self.clock = clock
    }
}

/// A purchase by a customer.
package struct Purchase: Codable, Equatable, Sendable {
    /// A product that is in the app's catalog and is for sale.
    package var productID: String
    /// The quantity: 1 to 10 for consumables, otherwise 1.
    package var quantity: Int
    /// The storefront for this purchase; nil for the customer's storefront.
    package var storefront: Storefront?
    /// The price of one piece for this purchase; nil for the price in the catalog.
    package var price: PriceOverride?
    /// The app account token, a UUID in upper or lower case.
    package var appAccountToken: String?
    /// The offer that the purchase redeems; automatic by default (docs/api/offers.md).
    package var offer: OfferChoice
    /// The nonce of the app server's signature for the offer. It is valid for one purchase.
    package var offerNonce: String?
    /// An existing order of the customer, to which the purchase is added; nil for a new order.
    package var order: OrderID?
    /// Whether the app finishes the transaction at once.
    package var isFinished: Bool
    /// The billing plan, if the product has several; nil for billed upfront.
    package var billingPlan: BillingPlanType?
    /// Whether the purchase is interrupted, so that the customer must complete it.
    package var isInterrupted: Bool
    /// The original transaction of the subscription that the purchase changes. The subscription must be active, belong
    /// to the customer, and be in the product's group. Nil if the purchase may start a new subscription.
    package var subscription: TransactionID?

    /// A purchase. Every property except the product has a default value.
    package init(
        productID: String,
        quantity: Int = 1,
        storefront: Storefront? = nil,
        price: PriceOverride? = nil,
        appAccountToken: String? = nil,
        offer: OfferChoice = .automatic,
        offerNonce: String? = nil,
        order: OrderID? = nil,
        isFinished: Bool = false,
        billingPlan: BillingPlanType? = nil,
        isInterrupted: Bool = false
    ) {
        self.productID = productID
        self.quantity = quantity
        self.storefront = storefront
        self.price = price
        self.appAccountToken = appAccountToken
        self.offer = offer
        self.offerNonce = offerNonce
        self.order = order
        self.isFinished = isFinished
        self.billingPlan = billingPlan
        self.isInterrupted = isInterrupted
    }
}

/// A price that replaces the price in the catalog.
package struct PriceOverride: Codable, Equatable, Sendable {
    /// The price of one piece, in thousandths of the currency unit.
    package var milliunits: Int64
    /// The currency as an ISO 4217 code; nil for the product's currency in the storefront of the purchase.
    package var currency: String?

    /// A price in the given currency, or in the currency of the storefront.
    package init(milliunits: Int64, currency: String? = nil) {
        self.milliunits = milliunits
        self.currency = currency
    }
}

/// The choice of the offer that a purchase redeems.
package enum OfferChoice: Codable, Equatable, Sendable {
    /// The introductory offer if the customer is eligible for it, as on a device.
    case automatic
    /// The purchase redeems no offer.
    case none
    /// The introductory offer. The purchase is refused if the customer has used one before, unless the app's signature
    /// permits it again.
    case introductory(evenIfUsed: Bool)
    /// A promotional offer, after its signature was verified.
    case promotional(String)
    case code(String)
    case winBack(String)
}

/// A refund by the store.
package struct Refund: Sendable {
    /// The share of the price that is refunded.
    package enum Share: Codable, Equatable, Sendable {
        case full
        /// The unused part of a subscription's period.
        case unused
        /// A part in thousandths of a percent, 1 to 99,999.
        case part(Int)
    }

    package var transaction: TransactionID
    /// The share of the price that is refunded; the full price by default (docs/api/refunds.md).
    package var share: Share
    /// `revocationReason` of the refunded transaction and of the family members' copies.
    package var reason: RevocationReason

    /// A refund of one transaction.
    package init(transaction: TransactionID, share: Share = .full, reason: RevocationReason = .other) {
        self.transaction = transaction
        self.share = share
        self.reason = reason
    }
}

/// A customer's refund request (docs/api/refunds.md).
package struct RefundRequest: Codable, Equatable, Sendable {
    package var transaction: TransactionID
    /// The customer's reason for the request.
    package var reason: ConsumptionRequestReason
    /// The instant of the customer's request.
    package var since: Timestamp
    /// The instant of the decision; nil if the operator decides.
    package var decideAt: Timestamp?
    /// The developer's consumption data, if it arrived before the time limit.
    package var report: ConsumptionReport?
    /// The rule that decides, from the time of the request.
    package var rule: RefundRule

    /// A refund request.
    package init(
        transaction: TransactionID,
        reason: ConsumptionRequestReason,
        since: Timestamp,
        decideAt: Timestamp?,
        rule: RefundRule
    ) {
        self.transaction = transaction
        self.reason = reason
        self.since = since
        self.decideAt = decideAt
        self.rule = rule
    }
}

/// The developer's consumption data, limited to the values that the refund decision needs.
package struct ConsumptionReport: Codable, Equatable, Sendable {
    /// The developer's preferred decision; nil if the developer stated none.
    package var preference: RefundPreference?
    /// The consumed share in thousandths of a percent, 0 to 100,000; only for one-time products.
    package var consumptionPercentage: Int?
    /// The known keys of the request body as JSON, for an operator who decides by hand.
    package var body: String

    /// Consumption data.
    package init(preference: RefundPreference?, consumptionPercentage: Int? = nil, body: String = "") {
        self.preference = preference
        self.consumptionPercentage = consumptionPercentage
        self.body = body
    }
}

/// An extension of the current period (docs/api/extensions.md).
package struct Extension: Codable, Equatable, Sendable {
    /// The original transaction of the subscription.
    package var subscription: TransactionID
    /// The length in calendar days, 1 to 90. At accelerated renewal rates the length is scaled.
    package var days: Int
    /// `extendReasonCode`, 0 to 3.
    package var reasonCode: Int
    /// The developer's identifier of the request (`requestIdentifier`), at most 128 characters.
    package var request: String

    /// An extension that the developer requests.
    package init(subscription: TransactionID, days: Int, reasonCode: Int, request: String) {
        self.subscription = subscription
        self.days = days
        self.reasonCode = reasonCode
        self.request = request
    }
}
