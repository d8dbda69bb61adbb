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
        // The IDs are long, and only needed to tell products with the same name apart.
        let names = Dictionary(grouping: products, by: \.referenceName)
        let choices = products.map { product in
            let isUnique = names[product.referenceName]?.count == 1
            return (product.id, isUnique ? product.referenceName : "\(product.referenceName) (\(product.id))")
        }
        let first: [FormField] = [
            .init("productId", "Product", products.count <= ListLimit.options ? .choice(choices) : nil)
        ]
        let rest: [FormField] = [.init("quantity", "Quantity", hint: "1")]
        let more: [FormField] = [
            .init("billingPlan", "Billing plan"),
            .init("storefront", "Storefront", hint: account.storefront.code),
            .init("appAccountToken", "App account token", hint: "a UUID"),
            .offerSignature, .timeOfAction,
            .init("interrupted", "Interrupt the purchase"), .init("finished", "Finish the transaction"),
        ]
        let buy = BuyProduct(app: app, customer: page.customer, productId: "")
        return ["form": page.form(buy, "Buy", first + offerFields(of: products) + rest, more: more)]
    }
}

extension FormField {
    /// The signature of an offer.
    static let offerSignature = FormField("offer.token", "Promotional offer JWS", hint: "signed by your server")

    /// When an action takes place.
    static let timeOfAction = FormField("at", "Time of this action (UTC, empty: now)", .instant)
}
