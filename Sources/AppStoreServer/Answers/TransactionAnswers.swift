/// A page of the transaction history.
public struct HistoryResponse: AppStorePage {
    /// The object as it was sent.
    public let raw: RawObject
    /// The position in the changes of the customer. It can be kept for later: the server then answers what is new or
    /// changed since.
    public let revision: String
    /// Whether there are more pages.
    public let hasMore: Bool
    /// The transactions, at most 20.
    public let signedTransactions: [SignedTransaction]

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        revision = try raw.required("revision")
        hasMore = try raw.required("hasMore")
        signedTransactions = try raw.list("signedTransactions")
    }

    /// The bundle id of the app.
    public var bundleId: String? { raw["bundleId"] }
    /// The id of the app in the App Store; nil in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
    /// The environment of the transactions.
    public var environment: OpenValue<PayloadEnvironment>? { raw["environment"] }

    /// The transactions.
    public var elements: [SignedTransaction] { signedTransactions }
    /// The revision.
    public var position: String? { revision }
}

/// A page of the refund history. It has only `revision`, `hasMore`, and the refunded transactions in ascending order of
/// their revocation.
public typealias RefundHistoryResponse = HistoryResponse

/// The refunds of version 1: at most the 50 latest.
public struct RefundLookupResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The refunded transactions, in ascending order of their revocation.
    public let signedTransactions: [SignedTransaction]

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        signedTransactions = try raw.list("signedTransactions")
    }
}

/// One transaction.
public struct TransactionInfoResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The transaction.
    public let signedTransactionInfo: SignedTransaction

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        signedTransactionInfo = try raw.required("signedTransactionInfo")
    }
}

/// The app transaction of a customer.
public struct AppTransactionInfoResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The app transaction.
    public let signedAppTransactionInfo: SignedAppTransaction

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        signedAppTransactionInfo = try raw.required("signedAppTransactionInfo")
    }
}

/// The transactions of an order.
public struct OrderLookupResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// Whether the order id is valid and has purchases of the app.
    public let status: OpenValue<OrderLookupStatus>
    /// The transactions; none for an invalid order.
    public let signedTransactions: [SignedTransaction]

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        status = try raw.required("status")
        signedTransactions = try raw.list("signedTransactions")
    }
}

/// `status` of an order.
public enum OrderLookupStatus: Int, CaseIterable, Sendable {
    /// The order has purchases of the app.
    case valid = 0
    /// There is no such order, or it has no purchases of the app.
    case invalid = 1
}
