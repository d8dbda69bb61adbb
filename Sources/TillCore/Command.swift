/// What somebody wants done to an account and, where the family is concerned, to its members' accounts.
package enum Command: Sendable {
    case purchase(Purchase)
    /// The app has delivered it. Changes no payload.
    case finish(TransactionID)
    case setAppAccountToken(TransactionID, token: String)
    case refund(Refund)
    case reverseRefund(TransactionID)
    /// The account joins the family of the other, who becomes its organizer if there was none.
    case joinFamily(of: AccountID, named: String)
    case leaveFamily
    /// The device downloads the app for the first time, or reports a newer version.
    case downloadApp(AppTransaction)

    /// Rows of the ledger that the rules must see before they can decide, beside the accounts themselves.
    ///
    /// - Parameter accounts: the account and its family.
    package func rows(from accounts: [Account]) -> [TransactionID] {
        switch self {
        case .purchase, .joinFamily, .downloadApp: []
        case .finish(let id), .setAppAccountToken(let id, _): [id]
        case .refund(let refund): with(refund.transaction, sharedProducts(of: accounts))
        case .reverseRefund(let id): with(id, sharedProducts(of: accounts))
        case .leaveFamily: sharedProducts(of: accounts)
        }
    }

    /// More ids than the command can use: a transaction, a line item and an order for each row that it may make.
    ///
    /// - Parameter accounts: the account and everybody else whom the command concerns.
    package func mostIdentifiers(for accounts: [Account]) -> Int64 {
        let members = Int64(accounts.count)
        switch self {
        case .purchase:
            return 3 * members
        case .joinFamily:
            let holdings = accounts.reduce(0) { $0 + $1.owned.count + $1.subscriptions.count }
            return 3 * members * Int64(holdings)
        case .finish, .setAppAccountToken, .refund, .reverseRefund, .leaveFamily, .downloadApp:
            return 0
        }
    }

    /// Each row once: a member's copy may itself be what the command names.
    private func with(_ id: TransactionID, _ others: [TransactionID]) -> [TransactionID] {
        [id] + others.filter { $0 != id }
    }

    private func sharedProducts(of accounts: [Account]) -> [TransactionID] {
        accounts.flatMap { $0.owned.values }.filter { $0.ownership == .familyShared }.map(\.transaction).sorted()
    }
}

/// A purchase as the customer makes it.
package struct Purchase: Sendable {
    /// A product of the app's catalogue that is for sale.
    package var productID: String
    /// 1 to 10 for consumables, 1 for everything else.
    package var quantity: Int
    /// Overrides the customer's own storefront for this purchase.
    package var storefront: Storefront?
    /// Overrides the catalogue's price of one piece.
    package var price: Money?
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

    /// A purchase; everything but the product has a default.
    package init(
        productID: String,
        quantity: Int = 1,
        storefront: Storefront? = nil,
        price: Money? = nil,
        appAccountToken: String? = nil,
        offer: OfferChoice = .automatic,
        offerNonce: String? = nil,
        order: OrderID? = nil,
        isFinished: Bool = false
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
    }
}

/// Which offer a purchase takes.
package enum OfferChoice: Equatable, Sendable {
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
    package enum Share: Equatable, Sendable {
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
