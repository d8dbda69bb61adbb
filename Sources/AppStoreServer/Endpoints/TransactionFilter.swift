/// Which transactions a history contains. Different conditions must all be met; of several values, one must match.
public struct TransactionFilter: Hashable, Sendable {
    /// The order of a history, by the date of the last change of a transaction.
    public enum Order: String, Sendable {
        /// The oldest change first. Only this order can be resumed later from a kept revision.
        case ascending = "ASCENDING"
        /// The latest change first.
        case descending = "DESCENDING"
    }

    /// The earliest purchase date; nil for no limit.
    public var startDate: Timestamp?
    /// The purchase date must be earlier than this; nil for no limit.
    public var endDate: Timestamp?
    /// The products; empty for all.
    public var productIds: [String]
    /// The types of products; empty for all.
    public var productTypes: [ProductTypeName]
    /// The subscription groups; empty for all.
    public var subscriptionGroupIdentifiers: [String]
    /// Bought by the customer or shared by the family; nil for both.
    public var inAppOwnershipType: InAppOwnershipType?
    /// Only revoked transactions, or only others; nil for both.
    public var revoked: Bool?
    /// The order; nil for ascending.
    public var sort: Order?

    /// A filter; without arguments, all transactions.
    public init(
        startDate: Timestamp? = nil,
        endDate: Timestamp? = nil,
        productIds: [String] = [],
        productTypes: [ProductTypeName] = [],
        subscriptionGroupIdentifiers: [String] = [],
        inAppOwnershipType: InAppOwnershipType? = nil,
        revoked: Bool? = nil,
        sort: Order? = nil
    ) {
        (self.startDate, self.endDate, self.sort) = (startDate, endDate, sort)
        (self.productIds, self.productTypes) = (productIds, productTypes)
        self.subscriptionGroupIdentifiers = subscriptionGroupIdentifiers
        (self.inAppOwnershipType, self.revoked) = (inAppOwnershipType, revoked)
    }

    /// The parameters of the query.
    var query: [(name: String, value: String?)] {
        var query: [(name: String, value: String?)] = [
            ("startDate", startDate.map { String($0.milliseconds) }),
            ("endDate", endDate.map { String($0.milliseconds) }),
            ("inAppOwnershipType", inAppOwnershipType?.rawValue), ("revoked", revoked.map { String($0) }),
            ("sort", sort?.rawValue),
        ]
        query += productIds.map { ("productId", $0) }
        query += productTypes.map { ("productType", $0.rawValue) }
        query += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0) }
        return query
    }
}
