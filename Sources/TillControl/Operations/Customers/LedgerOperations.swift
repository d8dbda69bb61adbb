/// Lists a customer's transactions, the most recently changed first, in pages.
public struct ListTransactions: CustomerRequest {
    public typealias Answer = LedgerEntryList
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/transactions",
        tag: .purchases
    )
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...100)]

    public var app: AppEnvironment
    public var customer: String
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of results; 50 by default.
    public var limit: Int?

    public init(app: AppEnvironment, customer: String, after: String? = nil, limit: Int? = nil) {
        self.app = app
        self.customer = customer
        self.after = after
        self.limit = limit
    }
}

/// A page of a customer's transactions.
public struct LedgerEntryList: ControlObject {
    /// The transactions on the page.
    public var transactions: [LedgerEntryInfo]
    /// The value of `after` for the next page; absent on the last page.
    public var next: String?

    public init(transactions: [LedgerEntryInfo], next: String? = nil) {
        self.transactions = transactions
        self.next = next
    }
}

/// A transaction as the ledger has it, unsigned.
public struct LedgerEntryInfo: ControlObject {
    /// The transaction id.
    public var transactionId: String
    /// The original transaction id.
    public var originalTransactionId: String
    /// The product identifier.
    public var productId: String
    /// The product's type, as in signed transactions.
    public var type: ProductType
    /// The subscription group; only for auto-renewables.
    public var subscriptionGroupIdentifier: String?
    /// The reason of the transaction: the customer's purchase, or a renewal.
    public var transactionReason: TransactionReason
    /// The ownership: bought by the customer, or shared by a family member.
    public var inAppOwnershipType: InAppOwnershipType
    /// The purchase date, in milliseconds since 1970.
    public var purchaseDate: Timestamp
    /// The end of the period, in milliseconds since 1970; only for auto-renewables.
    public var expiresDate: Timestamp?
    /// The quantity.
    public var quantity: Int
    /// The total price in milliunits; absent for a family member's copy.
    public var price: Int64?
    /// The currency of the price, as an ISO 4217 code.
    public var currency: String?
    /// The storefront of the purchase.
    public var storefront: Storefront
    /// The order id on the customer's invoice.
    public var orderId: String?
    /// The offer type: 1 introductory, 2 promotional, 3 code, 4 win-back.
    public var offerType: OfferType?
    /// The offer's identifier; absent for introductory offers.
    public var offerIdentifier: String?
    /// The payment mode of the offer.
    public var offerDiscountType: OfferDiscountType?
    /// The date of the refund, or of the end of sharing; absent while not revoked.
    public var revocationDate: Timestamp?
    /// The type of the revocation.
    public var revocationType: RevocationType?
    /// The refunded percentage of the price, in milliunits.
    public var revocationPercentage: Int?
    /// Whether an upgrade replaced the transaction.
    public var isUpgraded: Bool
    /// Whether the app has finished the transaction.
    public var isFinished: Bool
    /// The actions that are possible now on the transaction.
    public var availableActions: [CustomerAction]

    public init(
        transactionId: String,
        originalTransactionId: String,
        productId: String,
        type: ProductType,
        subscriptionGroupIdentifier: String? = nil,
        transactionReason: TransactionReason,
        inAppOwnershipType: InAppOwnershipType,
        purchaseDate: Timestamp,
        expiresDate: Timestamp? = nil,
        quantity: Int,
        price: Int64? = nil,
        currency: String? = nil,
        storefront: Storefront,
        orderId: String? = nil,
        offerType: OfferType? = nil,
        offerIdentifier: String? = nil,
        offerDiscountType: OfferDiscountType? = nil,
        revocationDate: Timestamp? = nil,
        revocationType: RevocationType? = nil,
        revocationPercentage: Int? = nil,
        isUpgraded: Bool,
        isFinished: Bool,
        availableActions: [CustomerAction]
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.type = type
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.transactionReason = transactionReason
        self.inAppOwnershipType = inAppOwnershipType
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.quantity = quantity
        self.price = price
        self.currency = currency
        self.storefront = storefront
        self.orderId = orderId
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.offerDiscountType = offerDiscountType
        self.revocationDate = revocationDate
        self.revocationType = revocationType
        self.revocationPercentage = revocationPercentage
        self.isUpgraded = isUpgraded
        self.isFinished = isFinished
        self.availableActions = availableActions
    }
}

/// Lists the offers that a customer has used, in the order of their first use: introductory, promotional and win-back
/// offers, and offer codes.
public struct ListUsedOffers: CustomerRequest {
    public typealias Answer = [UsedOfferInfo]
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/used-offers",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String

    public init(app: AppEnvironment, customer: String) {
        self.app = app
        self.customer = customer
    }
}

/// An offer that a customer has used for a purchase or for a subscription.
public struct UsedOfferInfo: ControlObject {
    /// The type of the offer, as in signed transactions.
    public var offerType: OfferType
    /// The identifier of the offer; absent for an introductory offer.
    public var offerIdentifier: String?
    /// How the customer paid with the offer.
    public var offerDiscountType: OfferDiscountType?
    /// The product of the first transaction with the offer.
    public var productId: String
    /// The original transaction id of the purchase or subscription.
    public var originalTransactionId: String
    /// The purchase date of the first transaction with the offer, in milliseconds since 1970.
    public var firstUseDate: Timestamp
    /// The purchase date of the last transaction with the offer, in milliseconds since 1970.
    public var lastUseDate: Timestamp
    /// The number of transactions with the offer.
    public var transactions: Int

    public init(
        offerType: OfferType,
        offerIdentifier: String? = nil,
        offerDiscountType: OfferDiscountType? = nil,
        productId: String,
        originalTransactionId: String,
        firstUseDate: Timestamp,
        lastUseDate: Timestamp,
        transactions: Int
    ) {
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.offerDiscountType = offerDiscountType
        self.productId = productId
        self.originalTransactionId = originalTransactionId
        self.firstUseDate = firstUseDate
        self.lastUseDate = lastUseDate
        self.transactions = transactions
    }
}
