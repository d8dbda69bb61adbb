import TillControl
import TillCore
import TillServer
import TillShop

/// The forms to buy a product with any offer.
extension CustomerLedger {
    /// The forms; none if no product is for sale.
    var purchaseForms: PageValue {
        let products = forSale
        guard !products.isEmpty else { return ["isEmpty": true] }
        let choices = products.map { ($0.id, "\($0.referenceName) (\($0.id))") }
        let first: [FormField] = [
            .init("productId", "Product", products.count <= ListLimit.options ? .choice(choices) : nil)
        ]
        let rest: [FormField] = [.init("quantity", "Quantity", hint: "1")]
        let more: [FormField] = [
            .init("billingPlan", "Billing plan"),
            .init("storefront", "Storefront", hint: account.storefront.code),
            .init("appAccountToken", "App account token", hint: "a UUID"),
            .init("offer.token", "Promotional offer JWS", hint: "signed by your server"), .timeOfAction,
            .init("interrupted", "Interrupt the purchase"), .init("finished", "Finish the transaction"),
        ]
        let buy = BuyProduct(app: app, customer: page.customer, productId: "")
        let offers = Self.offerFields(of: products, withSigned: false)
        let allOffers = Self.offerFields(of: products, withSigned: true)
        return [
            "form": page.form(buy, "Buy", first + offers + rest),
            "more": page.form(buy, "Buy with options", first + allOffers + rest + more, name: "more"),
        ]
    }

    /// The fields that select an offer of the given products.
    ///
    /// - Parameter withSigned: whether the form has a field for the signature of a promotional offer.
    static func offerFields(of products: [Product], withSigned: Bool) -> [FormField] {
        let named = products.flatMap { product in
            product.offers.filter { withSigned || $0.kind != .promotional }.compactMap { offer in
                offer.id.map { id -> FormField.Option in
                    (
                        "\(kind(offer.kind).rawValue):\(id)",
                        "\(id) (\(offer.kind.words) offer of \(product.referenceName))"
                    )
                }
            }
        }
        func choice(_ kind: OfferKindToApply) -> FormField.Option {
            (kind.rawValue, kind == .winBack ? "Win-back" : Words.sentence(kind.rawValue))
        }
        let always = [("", "Automatic"), choice(.none), choice(.introductory)]
        if named.count <= ListLimit.options { return [.init("offer", "Offer", .offer(always + named))] }
        let kinds = always + (withSigned ? [choice(.promotional)] : []) + [choice(.code), choice(.winBack)]
        return [.init("offer.kind", "Offer", .choice(kinds)), .init("offer.id", "Offer ID")]
    }

    private static func kind(_ type: OfferType) -> OfferKindToApply {
        switch type {
        case .introductory: .introductory
        case .promotional: .promotional
        case .code: .code
        case .winBack: .winBack
        }
    }
}

extension FormField {
    /// When an action takes place.
    static let timeOfAction = FormField("at", "Time of this action (UTC, empty: now)", .instant)
}
