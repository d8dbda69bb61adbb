/// The reasons why the rules refuse a command. Their order is the order of the checks: if several reasons apply, the
/// first is thrown.
package enum Refusal: Error, Equatable, Sendable {
    // Accounts and time.
    case unknownAccount(String)
    case laterThanClock(at: Timestamp, now: Timestamp)
    case earlierThanLastEvent(at: Timestamp, last: Timestamp)
    // Unknown or invalid values in the request.
    case unknownTransaction(TransactionID)
    case unknownProduct(String)
    case productNotForSale(String)
    case badQuantity(Int, limit: Int, type: ProductKind)
    case badPrice(milliunits: Int64)
    case badAppAccountToken(String)
    case unknownOrder(OrderID)
    case noMonthlyPlan(product: String)
    case monthlyPlanNotSold(storefront: String)
    case noPrice(product: String, offer: String?, storefront: String)
    case unknownHeldPurchase(Int64)
    case tooManyHeldPurchases(limit: Int)
    case cardDeclined
    // Existing purchases.
    case alreadySubscribed(product: String, until: Timestamp)
    case priceOfFreeTrial
    // Subscriptions.
    case unknownSubscription(TransactionID)
    case notSubscribed(TransactionID, since: Timestamp)
    case otherGroup(product: String, group: String)
    case autoRenewIsOff(TransactionID)
    case autoRenewIsOn(TransactionID)
    case noPriceIncrease(TransactionID)
    case extensionIneligible(TransactionID, because: ReasonNotToExtend)
    case extensionLimit(TransactionID)
    // Offers.
    case offerSignatureUsed(nonce: String)
    case unknownOffer(product: String, kind: OfferType, id: String?)
    case offerNeedsNoSubscription(kind: OfferType)
    case offerNeedsEarlierSubscription(kind: OfferType)
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
    case refundAlreadyRequested(TransactionID)
    case refundNotRequested(TransactionID)
    case tooManyRefundRequests(limit: Int)
    case notRefunded(TransactionID)
    case badPercentage(Int)
    case nothingLeftToProrate(TransactionID)
    // Families.
    case alreadyInFamily(customer: String, family: String)
    case notInFamily(customer: String)
    case familyFull(family: String)
    case familyOnAnotherClock(customer: String, clock: String?)
    case notShareable(product: String)
    /// An imported copy does not belong to the family's purchase: their ids, and the key that differs.
    case copyDiffers(String, String, CopyDifference)
    case noExternalCopy(customer: String)

    /// One or two sentences for the operator: what is wrong, and what to do instead.
    package var explanation: String {
        switch self {
        case .unknownAccount(let customer):
            "No customer \(customer) in this app and environment. Create the customer first, or buy a product for "
                + "the customer."
        case .laterThanClock(let instant, let now):
            "The instant \(instant.iso8601) is later than the customer's clock (\(now.iso8601)); "
                + "leave the instant out, or advance the clock first with till clock advance."
        case .earlierThanLastEvent(let now, let last):
            "The instant \(now.iso8601) is before the customer's last event at \(last.iso8601); "
                + "an account's time only moves forward."
        case .unknownTransaction(let id):
            "Transaction \(id.number) is not in this app and environment."
        case .unknownProduct(let id):
            "The catalog has no product \(id). List the products with till product list, or import a catalog."
        case .productNotForSale(let id):
            "Product \(id) was removed from sale; put it back on sale, or import a catalog that has it."
        case .badQuantity(let quantity, let limit, let type):
            "The quantity \(quantity) is invalid: for the type \(type.wireName) "
                + (limit == 1 ? "it must be 1." : "it must be 1 to \(limit).")
        case .badPrice(let milliunits):
            "The price of \(milliunits) thousandths is invalid: "
                + "it must be 0 or more, and the total for the quantity must fit 63 bits."
        case .badAppAccountToken(let text):
            "\(text.prefix(64)) is not a UUID; an app account token must be one."
        case .unknownOrder(let order):
            "This customer has no order \(order.wireForm)."
        case .alreadySubscribed(let product, let until):
            "The customer's subscription to \(product) runs until \(until.iso8601); "
                + "until then, buy with an offer, or buy another plan."
        case .noMonthlyPlan(let product):
            "Product \(product) has no plan with monthly billing, or the catalog disables it."
        case .monthlyPlanNotSold(let storefront):
            "Plans with monthly billing are not sold in \(storefront); the setting commitmentsEverywhere allows it."
        case .noPrice(let product, let offer, let storefront):
            "\(offer.map { "The offer \($0) of product" } ?? "Product") \(product) has no price in storefront "
                + "\(storefront), and the environment refuses such purchases. Add a price for \(storefront) to the "
                + "catalog, or allow it: till settings update --missing-price storefrontCurrency"
        case .unknownHeldPurchase(let number):
            "This customer has no held purchase \(number); list them with till purchase list."
        case .tooManyHeldPurchases(let limit):
            "This customer already has \(limit) held purchases; approve or decline some."
        case .cardDeclined:
            "The customer's card is declined; make it valid again with till card accept."
        case .priceOfFreeTrial:
            "A free trial costs nothing; leave the price out, or buy without the offer."
        case .unknownSubscription(let id):
            "Transaction \(id.number) is not the original transaction of a subscription of this customer."
        case .notSubscribed(let id, let since):
            "Subscription \(id.number) ended at \(since.iso8601); buy it again to start a new one."
        case .otherGroup(let product, let group):
            "Product \(product) is not in the group \(group) of this subscription; buy it separately."
        case .autoRenewIsOff(let id):
            "Auto-renewal of subscription \(id.number) is off already."
        case .autoRenewIsOn(let id):
            "Subscription \(id.number) renews already."
        case .noPriceIncrease(let id):
            "Subscription \(id.number) has no price increase that needs an answer."
        case .extensionIneligible(let id, let reasonNotToRenew):
            "Subscription \(id.number) cannot be extended: \(reasonNotToRenew.words)."
        case .extensionLimit(let id):
            "The customer of subscription \(id.number) had two extensions in the last 365 days, which is the maximum."
        case .refundAlreadyRequested(let id):
            "Transaction \(id.number) already has a refund request without a decision."
        case .refundNotRequested(let id):
            "Transaction \(id.number) has no refund request; create one with till refund request."
        case .tooManyRefundRequests(let limit):
            "This customer already has \(limit) refund requests without a decision."
        case .familyOnAnotherClock(let customer, let clock):
            "Customer \(customer) does not use the clock of the family, which is "
                + "\(clock.map { "the clock \($0)" } ?? "the environment's clock"). Assign it to the customer first: "
                + "till customer update \(customer) \(clock.map { "--clock \($0)" } ?? "--no-clock")."
        case .notShareable(let product):
            "Product \(product) cannot be shared with a family."
        case .offerSignatureUsed(let nonce):
            "The signature with the nonce \(nonce.prefix(64)) was used before; the app's server must create a new one."
        case .unknownOffer(let product, let kind, let id):
            "Product \(product) has no \(kind.words) offer\(id.map { " \($0)" } ?? "")."
        case .offerNeedsNoSubscription(let kind):
            "Current subscribers of the group cannot redeem \(kind.words) offers."
        case .offerNeedsEarlierSubscription(let kind):
            "Only current and former subscribers of the group can redeem \(kind.words) offers; "
                + "this customer never subscribed."
        case .introductoryOfferUsed(let group):
            "The customer has used an introductory offer in group \(group); each customer gets one in each group."
        case .codeNotForAudience(let offer, let audience, let customer):
            "Code offer \(offer) is for \(audience.map(\.rawValue).sorted().joined(separator: ", ")) customers; "
                + "this customer is \(customer.rawValue)."
        case .codeAlreadyRedeemed(let offer):
            "The customer has redeemed code offer \(offer) before; each customer can redeem it once."
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
            "Transaction \(id.number) was already revoked at \(date.iso8601)."
        case .notRefunded(let id):
            "Transaction \(id.number) is not refunded, so there is nothing to reverse."
        case .badPercentage(let percentage):
            "\(percentage) is not a valid part: give thousandths of a percent, 1 to 99999, or refund in full."
        case .nothingLeftToProrate(let id):
            "No part of transaction \(id.number) is unused; refund it in full, or give a percentage."
        case .alreadyInFamily(let customer, let family):
            "Customer \(customer) is in the family \(family); leave it first."
        case .notInFamily(let customer):
            "Customer \(customer) is in no family."
        case .familyFull(let family):
            "The family \(family) has \(FamilyMembership.maxMembers) members, which is the maximum."
        case .copyDiffers(let copy, let purchase, let key):
            "Transaction \(copy) is not a family member's copy of transaction \(purchase): \(key.rawValue) differs. "
                + "Import both customers from answers of the same time."
        case .noExternalCopy(let customer):
            "Neither \(customer) nor the family has an imported copy of a purchase that the other one has. Join "
                + "without the link to share the purchases as new copies."
        }
    }
}

/// The reason why a subscription cannot be extended.
package enum ReasonNotToExtend: String, Sendable {
    case notActive
    case freeTrial
    case neverPaid
    case firstPaidPeriod

    var words: String {
        switch self {
        case .notActive: "it is not active"
        case .freeTrial: "it is in a free trial"
        case .neverPaid: "none of its periods was paid"
        case .firstPaidPeriod: "no period before the current one was paid; the setting extendsFirstPeriod allows it"
        }
    }
}
