/// Why the rules refuse a command. The list is closed, and its order is the order in which the rules look:
/// where two would apply, the one that stands first is thrown.
package enum Refusal: Error, Equatable, Sendable {
    // The parties.
    case unknownAccount(String)
    case earlierThanLastEvent(at: Timestamp, last: Timestamp)
    // What is wanted.
    case unknownTransaction(TransactionID)
    case unknownProduct(String)
    case productNotForSale(String)
    case badQuantity(Int, most: Int, type: ProductType)
    case badPrice(milliunits: Int64)
    case badAppAccountToken(String)
    case unknownOrder(OrderID)
    // What the customer already has.
    case alreadyOwned(product: String)
    case alreadySubscribed(product: String, until: Timestamp)
    // Offers.
    case offerSignatureUsed(nonce: String)
    case unknownOffer(product: String, kind: OfferKind, id: String?)
    case offerNeedsNoSubscription(kind: OfferKind)
    case offerNeedsEarlierSubscription(kind: OfferKind)
    case introductoryOfferUsed(group: String)
    case codeNotForAudience(offer: String, audience: Set<CodeAudience>, customerIs: CodeAudience)
    case codeAlreadyRedeemed(offer: String)
    case codeUsedUp(offer: String, limit: Int)
    case winBackNotYet(offer: String)
    // The account token.
    case notOriginal(TransactionID, original: TransactionID)
    case familyShared(TransactionID)
    // Refunds.
    case alreadyRevoked(TransactionID, on: Timestamp)
    case notRefunded(TransactionID)
    case badPercentage(Int)
    case nothingLeftToProrate(TransactionID)
    // Families.
    case alreadyInFamily(customer: String, family: String)
    case notInFamily(customer: String)
    case familyFull(family: String)

    /// One sentence: what was wrong, and what would do instead.
    package var explanation: String {
        switch self {
        case .unknownAccount(let customer):
            "There is no customer \(customer) in this app and realm; create one, or buy something for them."
        case .earlierThanLastEvent(let now, let last):
            "The instant \(now.iso8601) lies before the customer's last event at \(last.iso8601); "
                + "an account's time only moves forward."
        case .unknownTransaction(let id):
            "Transaction \(id.number) is not in this app and realm."
        case .unknownProduct(let id):
            "The catalogue has no product \(id); import it first."
        case .productNotForSale(let id):
            "Product \(id) was removed from sale; put it back on sale, or import a catalogue that has it."
        case .badQuantity(let quantity, let most, let type):
            "A quantity of \(quantity) is not possible: a \(type.wireName) is sold 1 to \(most) at a time."
        case .badPrice(let milliunits):
            "A price of \(milliunits) thousandths is not possible: "
                + "it must be 0 or more and fit 63 bits for the quantity."
        case .badAppAccountToken(let text):
            "\(text.prefix(64)) is not a UUID; an app account token is one."
        case .unknownOrder(let order):
            "Order \(order.wireForm) is not one of this customer's."
        case .alreadyOwned(let product):
            "The customer already owns \(product); a non-consumable is bought once."
        case .alreadySubscribed(let product, let until):
            "The customer's subscription to \(product) runs until \(until.iso8601); "
                + "it cannot be bought again before, except with an offer or as a change of plan."
        case .offerSignatureUsed(let nonce):
            "The signature with the nonce \(nonce.prefix(64)) was used before; let the app's server make another."
        case .unknownOffer(let product, let kind, let id):
            "Product \(product) has no \(kind.words) offer\(id.map { " \($0)" } ?? "")."
        case .offerNeedsNoSubscription(let kind):
            "Offers of the kind \(kind.words) are not for a customer who is subscribed to the group now."
        case .offerNeedsEarlierSubscription(let kind):
            "Offers of the kind \(kind.words) are for a customer who is, or was, subscribed to the group; "
                + "this one never was."
        case .introductoryOfferUsed(let group):
            "The customer has used an introductory offer in group \(group); there is one for each customer and group."
        case .codeNotForAudience(let offer, let audience, let customer):
            "Code offer \(offer) is for \(audience.map(\.rawValue).sorted().joined(separator: ", ")) customers; "
                + "this one is \(customer.rawValue)."
        case .codeAlreadyRedeemed(let offer):
            "The customer has redeemed code offer \(offer) before; it is once for each customer."
        case .codeUsedUp(let offer, let limit):
            "Code offer \(offer) has been redeemed \(limit) times, which is its limit."
        case .winBackNotYet(let offer):
            "The customer does not meet the criteria of win-back offer \(offer) now "
                + "(paid months, months since expiry, months since the last such offer)."
        case .notOriginal(let id, let original):
            "Transaction \(id.number) is not an original transaction; its original is \(original.number)."
        case .familyShared(let id):
            "Transaction \(id.number) is a family member's copy; use the purchaser's."
        case .alreadyRevoked(let id, let date):
            "Transaction \(id.number) was revoked at \(date.iso8601) already."
        case .notRefunded(let id):
            "Transaction \(id.number) is not refunded, so there is nothing to reverse."
        case .badPercentage(let percentage):
            "\(percentage) is not a part to refund: give thousandths of a percent, 1 to 99999, or refund in full."
        case .nothingLeftToProrate(let id):
            "Nothing of transaction \(id.number) is unused; refund it in full, or name a percentage."
        case .alreadyInFamily(let customer, let family):
            "Customer \(customer) is in the family \(family); leave it first."
        case .notInFamily(let customer):
            "Customer \(customer) is in no family."
        case .familyFull(let family):
            "The family \(family) has \(FamilyMembership.mostMembers) members, which is the most."
        }
    }
}
