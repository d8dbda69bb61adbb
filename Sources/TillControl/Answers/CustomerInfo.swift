/// A customer of an app in an environment.
public struct CustomerInfo: ControlObject {
    /// The customer's name in Till.
    public var customer: String
    /// The customer's app transaction id.
    public var appTransactionId: String
    /// The customer's storefront.
    public var storefront: Storefront
    /// Whether the customer downloaded the app.
    public var hasAppTransaction: Bool
    /// The state of the customer's card.
    public var card: Card
    /// Whether a parent must approve the customer's purchases (Ask to Buy).
    public var asksToBuy: Bool
    /// The number of pending purchases.
    public var heldPurchases: Int
    /// The number of undecided refund requests.
    public var refundRequests: Int
    /// The number of transactions.
    public var transactions: Int
    /// The non-consumables that the customer owns.
    public var owned: [String]
    /// The customer's subscriptions: one for each purchaser and subscription group.
    public var subscriptions: [SubscriptionInfo]
    /// The name of the customer's family.
    public var family: String?
    /// The name of the customer clock; absent for the environment's clock.
    public var clock: String?
    /// Whether the operation created the customer; absent if it did not.
    public var created: Bool?

    public init(
        customer: String,
        appTransactionId: String,
        storefront: Storefront,
        hasAppTransaction: Bool,
        card: Card,
        asksToBuy: Bool,
        heldPurchases: Int,
        refundRequests: Int,
        transactions: Int,
        owned: [String],
        subscriptions: [SubscriptionInfo],
        family: String? = nil,
        clock: String? = nil,
        created: Bool? = nil
    ) {
        self.customer = customer
        self.appTransactionId = appTransactionId
        self.storefront = storefront
        self.hasAppTransaction = hasAppTransaction
        self.card = card
        self.asksToBuy = asksToBuy
        self.heldPurchases = heldPurchases
        self.refundRequests = refundRequests
        self.transactions = transactions
        self.owned = owned
        self.subscriptions = subscriptions
        self.family = family
        self.clock = clock
        self.created = created
    }
}

/// A page of customers.
public struct CustomerList: ControlObject {
    /// The customers on the page.
    public var customers: [CustomerInfo]
    /// Customers on the page whose stored accounts cannot be read, each with the reason; absent if there are none.
    public var damaged: [String]?
    /// The value of `after` for the next page; absent on the last page.
    public var next: String?

    public init(customers: [CustomerInfo], damaged: [String]? = nil, next: String? = nil) {
        self.customers = customers
        self.damaged = damaged
        self.next = next
    }
}

/// A customer, and what an operation caused.
public struct CustomerChange: SettledAnswer {
    /// The customer after the operation.
    public var customer: CustomerInfo
    /// The events, in chronological order.
    public var events: [EventName]
    /// The notifications about the events, in chronological order: the type, with its subtype after a slash.
    public var notifications: [String]
    public var settled: SettledInfo?

    public init(customer: CustomerInfo, events: [EventName], notifications: [String]) {
        self.customer = customer
        self.events = events
        self.notifications = notifications
    }
}
