import TillControl
import TillCore
import TillServer
import TillShop

/// The offers that a customer can redeem with a purchase.
extension CustomerLedger {
    /// The fields that select an offer of the given products.
    /// The form needs `FormField.offerSignature`, too.
    func offerFields(of products: [Product]) -> [FormField] {
        let always: [FormField.Option] = [("", "Automatic"), Self.option(.none)]
        let groups = products.map { group(of: $0) }.filter { !$0.choices.isEmpty }
        if groups.reduce(0, { $0 + $1.choices.count }) <= ListLimit.options {
            return [.init("offer", "Offer", .offer(OfferList(always: always, groups: groups)), help: Self.automatic)]
        }
        let kinds: [OfferKindToApply] = [.introductory, .promotional, .code, .winBack]
        return [
            .init("offer.kind", "Offer", .choice(always + kinds.map(Self.option)), help: Self.automatic),
            .init("offer.id", "Offer ID"),
        ]
    }

    private static let automatic = "Automatic: the introductory offer if the customer is eligible, otherwise none."

    private static func option(_ kind: OfferKindToApply) -> FormField.Option {
        (kind.rawValue, kind == .winBack ? "Win-back" : Words.sentence(kind.rawValue))
    }

    private func group(of product: Product) -> OfferList.Group {
        let introductory = [product.offer(.introductory)].compactMap(\.self)
        let others = product.offers.filter { $0.kind != .introductory && $0.billingPlan != .monthly }
        let choices = (introductory + others).compactMap { choice($0, of: product) }
        return OfferList.Group(product: product.id, name: product.referenceName, choices: choices)
    }

    private func choice(_ offer: Offer, of product: Product) -> OfferList.Choice? {
        let (kind, redeemed): (OfferKindToApply, OfferChoice)
        switch (offer.kind, offer.id) {
        // A signature can permit an introductory offer to a customer who has used one.
        case (.introductory, _): (kind, redeemed) = (.introductory, .introductory(evenIfUsed: true))
        case (.promotional, let id?): (kind, redeemed) = (.promotional, .promotional(id))
        case (.code, let id?): (kind, redeemed) = (.code, .code(id))
        case (.winBack, let id?): (kind, redeemed) = (.winBack, .winBack(id))
        case (_, nil): return nil
        }
        let id = offer.kind == .introductory ? nil : offer.id
        func refusal(_ choice: OfferChoice) -> String? {
            account.refusal(toRedeem: choice, of: product, at: now, policy: policy)?.explanation
        }
        let usedUp = usedCodes.first { $0 == offer.redemption(of: product, by: account) }
            .map { Refusal.codeUsedUp(offer: $0.offerID, limit: $0.limit).explanation }
        let unsigned =
            switch offer.kind {
            case .promotional: Self.needsSignature
            case .introductory: refusal(.introductory(evenIfUsed: false)).map { "\($0) \(Self.mayBeSigned)" }
            default: nil as String?
            }
        let name = id.map { "\($0) (\(offer.kind.words))" } ?? Words.capitalized(offer.kind.words)
        return OfferList.Choice(
            value: [kind.rawValue, id].compactMap(\.self).joined(separator: ":"),
            name: "\(name): \(terms(of: offer, product))",
            reason: (refusal(redeemed) ?? usedUp).map(withGroupName),
            note: unsigned.map(withGroupName)
        )
    }

    /// An explanation with the names of subscription groups instead of their IDs.
    private func withGroupName(_ explanation: String) -> String {
        catalog.groups.values.reduce(explanation) { text, group in
            text.replacing("in group \(group.id);", with: "in the group “\(group.name)”;")
        }
    }

    private static let needsSignature =
        "Your server must sign a promotional offer. Enter the signature as “Promotional offer JWS”."
    private static let mayBeSigned = "A signature as “Promotional offer JWS” can permit it."

    /// The price and duration of an offer in the customer's storefront.
    private func terms(of offer: Offer, _ product: Product) -> String {
        let full = catalog.price(product.prices, in: account.storefront)
        let price = offer.prices.map { _ in catalog.price(of: offer, in: account.storefront, insteadOf: full).words }
        return CatalogWords.terms(offer.mode, price, period: offer.period?.iso8601, count: offer.periodCount)
    }
}
