import TillCore

/// The identifier that another store gave to a transaction or an order of an imported customer, and Till's own. A
/// lookup asks for it only if no identifier of Till's matches.
package struct ForeignIdentifier: Equatable, Sendable {
    /// What an identifier denotes.
    package enum Kind: String, Sendable {
        /// A transaction, or the app transaction of an account. Apple's routes take either in the same place.
        case transaction
        case order
        /// The `webOrderLineItemId` of a transaction. No route takes it, but Till must not create it again.
        case lineItem
    }

    /// The app and the environment in which the identifier is unique.
    package var scope: AccountScope
    package var kind: Kind
    /// The identifier of the other store, as it is on the wire.
    package var foreign: String
    /// The account that the transaction or order belongs to.
    package var account: AccountID
    /// Till's number of the transaction, the account or the order.
    package var own: Int64

    /// The identifier of another store, and Till's own.
    package init(_ kind: Kind, _ foreign: String, in scope: AccountScope, of account: AccountID, own: Int64) {
        self.scope = scope
        self.kind = kind
        self.foreign = foreign
        self.account = account
        self.own = own
    }
}

extension ForeignIdentifier {
    /// The counter value with which Till would create the same identifier; nil if it never does.
    package var counter: Int64? { Self.counter(kind, foreign) }

    /// The counter value with which Till would create an identifier; nil if it never does.
    package static func counter(_ kind: Kind, _ text: String) -> Int64? {
        let counter: Int64? =
            switch kind {
            case .transaction, .lineItem:
                Int64(text).map {
                    AccountID.hasShape($0)
                        ? Identifiers.counter(of: AccountID($0)) : Identifiers.counter(of: TransactionID($0))
                }
            case .order: OrderID(wireForm: text).map { $0.number / Partition.count }
            }
        return counter.flatMap { (0..<Identifiers.maxCounters).contains($0) ? $0 : nil }
    }
}
