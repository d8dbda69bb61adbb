import TillCore
import TillServer
import TillShop

/// What a customer can buy, with any offer.
struct BuyCard: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger

    init(_ page: PageRequest, _ ledger: CustomerLedger) {
        self.page = page
        self.ledger = ledger
    }

    /// A list that nobody reads through is no help.
    private static let longest = 200

    /// The form, or the reason why there is none.
    var value: PageValue {
        let products = ledger.forSale
        guard !products.isEmpty else { return ["isEmpty": true] }
        let choices = products.map { (value: $0.id, name: "\($0.referenceName) (\($0.id))") }
        let first: [ActForm.Field] = [
            .init("productId", "Product", products.count <= Self.longest ? .choice(choices) : nil)
        ]
        let rest: [ActForm.Field] = [.init("quantity", "Quantity", hint: "1")]
        let more: [ActForm.Field] = [
            .init("billingPlan", "Paid"),
            .init("storefront", "Storefront", hint: ledger.account.storefront.code),
            .init("appAccountToken", "App account token", hint: "a UUID"),
            .init("offer.token", "JWS of the app's server", hint: "for a promotional offer"),
            .init("at", "When (UTC)", .instant), .init("interrupted", "Is interrupted"),
            .init("finished", "Finished at once"),
        ]
        return [
            "isEmpty": false,
            "form":
                ActForm("buy", "Buy", first + Self.offerFields(of: products, withSigned: false) + rest).value(page),
            "more": ActForm(
                "buy",
                "Buy so",
                first + Self.offerFields(of: products, withSigned: true) + rest + more,
                name: "more"
            ).value(page),
        ]
    }

    /// The offers of some products, as fields of a purchase: one list, in which each says of what kind it is.
    ///
    /// - Parameter withSigned: whether there is a field for the signature that promotional offers need.
    static func offerFields(of products: [Product], withSigned: Bool) -> [ActForm.Field] {
        let named = products.flatMap { product in
            product.offers.filter { withSigned || $0.kind != .promotional }.compactMap { offer in
                offer.id.map { id in
                    (
                        value: "\(OfferNames.name(of: offer.kind)):\(id)",
                        name: "\(id) (\(offer.kind.words) offer of \(product.referenceName))"
                    )
                }
            }
        }
        let always = [
            (value: "", name: "What applies"), (value: "NONE", name: "None"),
            (value: "INTRODUCTORY", name: "Introductory"),
        ]
        if named.count <= longest { return [.init("offer", "Offer", .offer(always + named))] }
        let kinds =
            always + (withSigned ? [("PROMOTIONAL", "Promotional")] : []) + [
                ("CODE", "Code"), ("WIN_BACK", "Win-back"),
            ]
        return [.init("offer.kind", "Offer", .choice(kinds)), .init("offer.id", "Which offer")]
    }
}
