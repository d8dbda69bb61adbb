/// Finds customers, transactions, orders, app account tokens, notifications and logged requests, in both environments
/// of all apps that the token may read. Exact matches are first, then customers whose names begin with the value.
public struct Search: ControlRequest {
    public typealias Answer = SearchResults
    public static let operation = ControlOperation(.get, "/v1/search", tag: .server)
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...100)]

    /// The text to search for, 1 to 128 bytes: a name or the beginning of a name of a customer, an app transaction id,
    /// a transaction id, an order id, an app account token, a notification UUID or a request id.
    public var value: String
    /// Only this app.
    public var bundleId: String?
    /// Only this environment.
    public var environment: StoreEnvironment?
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of results; 50 by default.
    public var limit: Int?

    public init(
        value: String,
        bundleId: String? = nil,
        environment: StoreEnvironment? = nil,
        after: String? = nil,
        limit: Int? = nil
    ) {
        self.value = value
        self.bundleId = bundleId
        self.environment = environment
        self.after = after
        self.limit = limit
    }
}

/// A page of search results.
public struct SearchResults: ControlObject {
    /// The results on the page.
    public var matches: [SearchMatch]
    /// The value of `after` for the next page; absent on the last page. A page can have few results, or none, and a
    /// next page.
    public var next: String?

    public init(matches: [SearchMatch], next: String? = nil) {
        self.matches = matches
        self.next = next
    }
}

/// What a search has found.
public struct SearchMatch: ControlObject {
    /// What the value denotes.
    public var kind: SearchMatchKind
    /// Whether the value is the whole name or id, and not only the beginning of a name.
    public var isExact: Bool
    /// The app; absent for a request whose token names none.
    public var bundleId: String?
    /// The environment.
    public var environment: StoreEnvironment
    /// The customer; absent for requests, and for notifications about the app.
    public var customer: String?
    /// The transaction id of a transaction, or of the transaction that a notification is about.
    public var transactionId: String?
    /// The product of a transaction.
    public var productId: String?
    /// The UUID of a notification.
    public var notificationUUID: String?
    /// The type of a notification, with its subtype after a slash.
    public var notificationType: String?
    /// The id of a logged request.
    public var requestId: String?
    /// The purchase date of a transaction, the signed date of a notification or the date of a request, in milliseconds
    /// since 1970.
    public var date: Timestamp?

    public init(kind: SearchMatchKind, isExact: Bool = true, bundleId: String?, environment: StoreEnvironment) {
        self.kind = kind
        self.isExact = isExact
        self.bundleId = bundleId
        self.environment = environment
    }
}

/// What a search result is.
public enum SearchMatchKind: String, Codable, CaseIterable, Sendable {
    /// A customer, by the name, its beginning or the app transaction id.
    case customer
    /// The first transaction of a subscription, or a purchase that does not renew, by its id.
    case originalTransaction
    /// A later transaction of a subscription, by its id.
    case transaction
    /// A transaction, by the id of its order.
    case order
    /// A customer, by the app account token of a transaction.
    case appAccountToken
    /// A notification, by its UUID.
    case notification
    /// A logged request to the App Store Server API, by its id.
    case request
}
