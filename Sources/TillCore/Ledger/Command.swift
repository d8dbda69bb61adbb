/// An action on an account and, where the family is affected, on its members' accounts.
package enum Command: Sendable {
    case purchase(Purchase)
    /// The app finished the transaction. Changes no payload.
    case finish(TransactionID)
    case setAppAccountToken(TransactionID, token: String)
    /// The account joins the family of another account, which becomes the organizer of a new family.
    case joinFamily(of: AccountID, named: String)
    case leaveFamily
    /// The purchaser turns family sharing on or off for one purchase, named by its original transaction.
    case shareWithFamily(TransactionID, Bool)
    /// The device downloads the app for the first time, or reports a newer version.
    case downloadApp(AppTransaction)
    /// Turns auto-renewal off for a subscription, named by its original transaction.
    case turnAutoRenewOff(TransactionID)
    case turnAutoRenewOn(TransactionID)
    case useCard(Card)
    case setAskToBuy(Bool)
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
    /// A job's part in this account.
    case job(Job)
    /// Moves the account and its family to another clock; nil is the clock of the app's environment.
    case useClock(String?)
    /// Only processes what is due.
    case processDue

    /// Ledger transactions that the rules need for their decision, besides the accounts.
    ///
    /// - Parameter accounts: the account and its family.
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

    /// An upper bound of the ids that the command needs: a transaction, a line item and an order for each transaction it may
    /// make.
    ///
    /// - Parameter accounts: the account and all others that the command affects.
    package func maxIdentifiers(for accounts: [Account]) -> Int64 {
        let members = Int64(accounts.count)
        let ownedProducts = accounts.reduce(0) {
            $0 + $1.ownedProducts.count + $1.subscriptions.count + $1.sharedSubscriptions.count
        }
        // A command may trigger charges at once: up to this many renewals, each with the family's copies.
        return 3 * members * Int64(ownedProducts + 1 + Ledger.maxFreedAtOnce)
    }

    /// Existing purchases of a non-consumable; buying it again returns to them.
    private static func owned(_ productID: String, by accounts: [Account]) -> [TransactionID] {
        accounts.compactMap { $0.owned(productID)?.transaction }
    }

    private static func copies(in accounts: [Account]) -> [TransactionID] {
        accounts.flatMap(\.ownedProducts).filter { $0.ownership == .familyShared }.map(\.transaction).sorted()
    }
}

/// A purchase by a customer.
package struct Purchase: Codable, Equatable, Sendable {
    /// A product of the app's catalog that is for sale.
    package var productID: String
    /// 1 to 10 for consumables, 1 for everything else.
    package var quantity: Int
    /// Overrides the customer's own storefront for this purchase.
    package var storefront: Storefront?
    /// Overrides the catalog's price of one piece.
    package var price: PriceOverride?
    /// UUID text in any case.
    package var appAccountToken: String?
    /// Automatic by default (docs/api/offers.md).
    package var offer: OfferChoice
    /// The nonce of the app's signature for the offer; valid for one purchase.
    package var offerNonce: String?
    /// Adds the purchase to an existing order of the customer.
    package var order: OrderID?
    /// Whether the app finishes it at once.
    package var isFinished: Bool
    /// The billing plan, where the product has several; nil means up front.
    package var billingPlan: BillingPlan.Kind?
    /// The purchase is interrupted, and the customer must complete it.
    package var isInterrupted: Bool
    /// The subscription that the purchase changes, by its original transaction. It must be the customer's, in the
    /// product's group and active; nil where the purchase may start a new one.
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

/// A price that replaces the catalog's.
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

/// Which offer a purchase redeems.
package enum OfferChoice: Codable, Equatable, Sendable {
    /// The introductory offer if the customer is eligible, as on a device.
    case automatic
    /// No offer.
    case none
    /// The introductory offer; refused if it was used, unless the app's signature allows it again.
    case introductory(evenIfUsed: Bool)
    /// A promotional offer whose signature has been verified.
    case promotional(String)
    case code(String)
    case winBack(String)
}

/// A refund by the store.
package struct Refund: Sendable {
    /// How much is refunded.
    package enum Share: Codable, Equatable, Sendable {
        case full
        /// The unused part of a subscription's period.
        case unused
        /// Thousandths of a percent, 1 to 99,999.
        case part(Int)
    }

    package var transaction: TransactionID
    /// The full price by default (docs/api/refunds.md).
    package var share: Share
    /// `revocationReason` of the refunded transaction and the family's copies.
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
    /// The customer's reason.
    package var reason: ConsumptionRequestReason
    /// When the customer made the request.
    package var since: Timestamp
    /// When it is decided; nil when the operator decides.
    package var decideAt: Timestamp?
    /// The developer's report, if it arrived in time.
    package var report: ConsumptionReport?
    /// The rule for the decision, as it was at the time of the request.
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

/// The developer's consumption report, as far as the refund decision needs it.
package struct ConsumptionReport: Codable, Equatable, Sendable {
    /// The decision that the developer prefers.
    package enum Preference: String, Codable, CaseIterable, Sendable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }

    /// Nil if not stated.
    package var preference: Preference?
    /// Thousandths of a percent consumed, 0 to 100,000; only for one-time products.
    package var consumptionPercentage: Int?
    /// The known keys of the body as JSON, for an operator who decides.
    package var body: String

    /// A report.
    package init(preference: Preference?, consumptionPercentage: Int? = nil, body: String = "") {
        self.preference = preference
        self.consumptionPercentage = consumptionPercentage
        self.body = body
    }
}

/// An extension of the current period (docs/api/extensions.md).
package struct Extension: Codable, Equatable, Sendable {
    /// The original transaction of the subscription.
    package var subscription: TransactionID
    /// 1 to 90 calendar days; scaled at accelerated renewal rates.
    package var days: Int
    /// 0 to 3.
    package var reasonCode: Int
    /// The developer's name for the request, at most 128 characters.
    package var request: String

    /// An extension as the developer requests it.
    package init(subscription: TransactionID, days: Int, reasonCode: Int, request: String) {
        self.subscription = subscription
        self.days = days
        self.reasonCode = reasonCode
        self.request = request
    }
}
