/// What somebody wants done to an account and, where the family is concerned, to its members' accounts.
package enum Command: Sendable {
    case purchase(Purchase)
    /// The app has delivered it. Changes no payload.
    case finish(TransactionID)
    case setAppAccountToken(TransactionID, token: String)
    /// The account joins the family of the other, who becomes its organizer if there was none.
    case joinFamily(of: AccountID, named: String)
    case leaveFamily
    /// The purchaser turns family sharing on or off for one purchase, named by its original transaction.
    case shareWithFamily(TransactionID, Bool)
    /// The device downloads the app for the first time, or reports a newer version.
    case downloadApp(AppTransaction)
    /// The subscription, named by its original transaction, is not to renew.
    case turnAutoRenewOff(TransactionID)
    case turnAutoRenewOn(TransactionID)
    case useCard(Card)
    case setAskToBuy(Bool)
    /// Lets a held purchase happen, or not.
    case decideHeldPurchase(number: Int64, approved: Bool)
    /// The customer's answer to a price increase that needs consent.
    case acceptPriceIncrease(TransactionID)
    case declinePriceIncrease(TransactionID)
    case requestRefund(TransactionID, ConsumptionRequestReason)
    case reportConsumption(TransactionID, ConsumptionReport)
    /// The operator's own refund, with or without a request.
    case refund(Refund)
    /// Declines what was asked for.
    case declineRefund(TransactionID)
    case reverseRefund(TransactionID)
    case extend(Extension)
    /// A job's part in this account.
    case job(Job)
    /// Puts the account and its family on another clock; nil is that of the app's environment.
    case useClock(String?)
    /// Nothing but the passing of time.
    case processDue

    /// Rows of the ledger that the rules must see before they can decide, beside the accounts themselves.
    ///
    /// - Parameter accounts: the account and its family.
    package func rows(from accounts: [Account]) -> [TransactionID] {
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

    /// More ids than the command can use: a transaction, a line item and an order for each row that it may make.
    ///
    /// - Parameter accounts: the account and everybody else whom the command concerns.
    package func mostIdentifiers(for accounts: [Account]) -> Int64 {
        let members = Int64(accounts.count)
        let holdings = accounts.reduce(0) {
            $0 + $1.holdings.count + $1.subscriptions.count + $1.sharedSubscriptions.count
        }
        // What an act sets free is charged at once: so many renewals, each with the family's copies.
        return 3 * members * Int64(holdings + 1 + Ledger.mostFreedAtOnce)
    }

    /// Purchases of a non-consumable that stand, to which buying it again leads back.
    private static func owned(_ productID: String, by accounts: [Account]) -> [TransactionID] {
        accounts.compactMap { $0.owned(productID)?.transaction }
    }

    private static func copies(in accounts: [Account]) -> [TransactionID] {
        accounts.flatMap(\.holdings).filter { $0.ownership == .familyShared }.map(\.transaction).sorted()
    }
}

/// A purchase as the customer makes it.
package struct Purchase: Codable, Equatable, Sendable {
    /// A product of the app's catalogue that is for sale.
    package var productID: String
    /// 1 to 10 for consumables, 1 for everything else.
    package var quantity: Int
    /// Overrides the customer's own storefront for this purchase.
    package var storefront: Storefront?
    /// Overrides the catalogue's price of one piece.
    package var price: PriceOverride?
    /// UUID text in any case.
    package var appAccountToken: String?
    /// Automatic unless somebody chooses (docs/api/offers.md).
    package var offer: OfferChoice
    /// The nonce of the app's signature by which the offer was granted; good for one purchase.
    package var offerNonce: String?
    /// Adds the purchase to an order that the customer already has.
    package var order: OrderID?
    /// Whether the app has finished it at once.
    package var isFinished: Bool
    /// How it is paid, where the product leaves a choice; nil is up front.
    package var billingPlan: BillingPlan.Kind?
    /// The customer is interrupted and must come back to it.
    package var isInterrupted: Bool
    /// The subscription that the purchase is to change, by its original transaction. It must belong to the customer and
    /// to the product's group and be in force when the purchase is made; nil where the purchase may begin one.
    package var subscription: TransactionID?

    /// A purchase; everything but the product has a default.
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
        billingPlan: BillingPlan.Kind? = nil,
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

/// A price that a purchase names instead of the catalog's.
package struct PriceOverride: Codable, Equatable, Sendable {
    /// Thousandths of the currency for one piece.
    package var milliunits: Int64
    /// ISO 4217; nil is the currency that the product has in the storefront of the purchase.
    package var currency: String?

    /// A price in a currency, or in that of the storefront.
    package init(milliunits: Int64, currency: String? = nil) {
        self.milliunits = milliunits
        self.currency = currency
    }
}

/// Which offer a purchase takes.
package enum OfferChoice: Codable, Equatable, Sendable {
    /// The introductory offer if the customer may have it, as a device does by itself.
    case automatic
    /// No offer.
    case none
    /// The introductory offer; refused when it was used, unless the app's signature allows it once more.
    case introductory(evenIfUsed: Bool)
    /// A promotional offer whose signature has been verified.
    case promotional(String)
    case code(String)
    case winBack(String)
}

/// A refund as the store grants it.
package struct Refund: Sendable {
    /// How much is given back.
    package enum Share: Codable, Equatable, Sendable {
        case full
        /// The unused part of a subscription's period.
        case unused
        /// Thousandths of a percent, 1 to 99,999.
        case part(Int)
    }

    package var transaction: TransactionID
    /// All of the price unless somebody chooses (docs/api/refunds.md).
    package var share: Share
    /// `revocationReason` of the refunded row and of the family's copies.
    package var reason: RevocationReason

    /// A refund of one transaction.
    package init(transaction: TransactionID, share: Share = .full, reason: RevocationReason = .other) {
        self.transaction = transaction
        self.share = share
        self.reason = reason
    }
}

/// A refund that a customer asked for (docs/api/refunds.md).
package struct RefundRequest: Codable, Equatable, Sendable {
    package var transaction: TransactionID
    /// What the customer gave as the reason.
    package var reason: ConsumptionRequestReason
    /// When it was asked for.
    package var since: Timestamp
    /// When it is decided; nil when the operator decides by hand.
    package var decideAt: Timestamp?
    /// What the developer sent in time.
    package var report: ConsumptionReport?
    /// Who decides, as it was when the request came.
    package var rule: RefundRule

    /// A request.
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

/// What the developer says of a purchase whose refund was asked for, as far as the decision needs it.
package struct ConsumptionReport: Codable, Equatable, Sendable {
    /// What the developer would have done.
    package enum Preference: String, Codable, CaseIterable, Sendable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }

    /// Nil says nothing.
    package var preference: Preference?
    /// Thousandths of a percent consumed, 0 to 100,000; only for one-time products.
    package var consumptionPercentage: Int?
    /// The known keys of the body as they were sent, as JSON, for whoever decides by hand.
    package var body: String

    /// A report.
    package init(preference: Preference?, consumptionPercentage: Int? = nil, body: String = "") {
        self.preference = preference
        self.consumptionPercentage = consumptionPercentage
        self.body = body
    }
}

/// A later end of the running period (docs/api/extensions.md).
package struct Extension: Codable, Equatable, Sendable {
    /// The original transaction of the subscription.
    package var subscription: TransactionID
    /// 1 to 90 calendar days; scaled where months are accelerated.
    package var days: Int
    /// 0 to 3.
    package var reasonCode: Int
    /// The developer's name for the request, at most 128 characters.
    package var request: String

    /// An extension as the developer asks for it.
    package init(subscription: TransactionID, days: Int, reasonCode: Int, request: String) {
        self.subscription = subscription
        self.days = days
        self.reasonCode = reasonCode
        self.request = request
    }
}
