import TillControl
import TillCore
import TillServer
import TillShop

/// The forms to buy a product with any offer.
struct BuyCard: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger

    init(_ page: PageRequest, _ ledger: CustomerLedger) {
        self.page = page
        self.ledger = ledger
    }

    /// The maximum number of options of a select field. A longer list is replaced by a text field.
    private static let maxChoices = 200

    /// The forms; none if no product is for sale.
    var value: PageValue {
        let products = ledger.forSale
        guard !products.isEmpty else { return ["isEmpty": true] }
        let choices = products.map { (value: $0.id, name: "\($0.referenceName) (\($0.id))") }
        let first: [ActionForm.Field] = [
            .init("productId", "Product", products.count <= Self.maxChoices ? .choice(choices) : nil)
        ]
        let rest: [ActionForm.Field] = [.init("quantity", "Quantity", hint: "1")]
        let more: [ActionForm.Field] = [
            .init("billingPlan", "Billing plan"),
            .init("storefront", "Storefront", hint: ledger.account.storefront.code),
            .init("appAccountToken", "App account token", hint: "a UUID"),
            .init("offer.token", "Promotional offer JWS", hint: "signed by your server"),
            .init("at", "Time of this action (UTC, empty: now)", .instant),
            .init("interrupted", "Interrupt the purchase"),
            .init("finished", "Finish the transaction"),
        ]
        let buy = BuyProduct(app: ledger.app, customer: page.customer, productId: "")
        return [
            "isEmpty": false,
            "form":
                ActionForm(buy, "Buy", first + Self.offerFields(of: products, withSigned: false) + rest).value(page),
            "more": ActionForm(
                buy,
                "Buy with options",
                first + Self.offerFields(of: products, withSigned: true) + rest + more,
                name: "more"
            ).value(page),
        ]
    }

    /// The fields that select an offer of the given products.
    ///
    /// - Parameter withSigned: whether the form has a field for the signature of a promotional offer.
    static func offerFields(of products: [Product], withSigned: Bool) -> [ActionForm.Field] {
        let named = products.flatMap { product in
            product.offers.filter { withSigned || $0.kind != .promotional }.compactMap { offer in
                offer.id.map { id in
                    (
                        value: "\(kind(offer.kind).rawValue):\(id)",
                        name: "\(id) (\(offer.kind.words) offer of \(product.referenceName))"
                    )
                }
            }
        }
        func choice(_ kind: OfferKindToApply) -> (value: String, name: String) {
            (kind.rawValue, kind == .winBack ? "Win-back" : Words.sentence(kind.rawValue))
        }
        let always = [(value: "", name: "Automatic"), choice(.none), choice(.introductory)]
        if named.count <= maxChoices { return [.init("offer", "Offer", .offer(always + named))] }
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
