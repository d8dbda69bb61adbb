/// The offers of the products that a form can select. The console's script shows only those of the selected product;
/// without the script, they are grouped by product.
struct OfferList: Sendable {
    /// An offer, and why the customer may not redeem it; nil if the customer may.
    struct Choice: Sendable {
        let value: String
        let name: String
        let reason: String?
        /// What the user must know to redeem the offer; nil for nothing.
        let note: String?
    }

    /// The offers of a product.
    struct Group: Sendable {
        let product: String
        let name: String
        let choices: [Choice]
    }

    /// The name of the field that selects the product.
    static let product = "productId"

    /// The options for every product.
    let always: [FormField.Option]
    let groups: [Group]

    /// The value for `{{>field}}`.
    ///
    /// - Parameters:
    ///   - typed: the value of the field. Offers of different products can have the same value.
    ///   - product: the selected product; nil if none is selected yet.
    func value(_ typed: String, of product: String?) -> PageValue {
        [
            "follows": Self.product,
            "hasReasons": groups.contains { $0.choices.contains { $0.reason != nil || $0.note != nil } },
            "always": always.listed { ["value": $0.value, "name": $0.name, "isChosen": $0.value == typed] },
            "groups": groups.listed { group in
                [
                    "product": group.product, "name": group.name,
                    "options": group.choices.listed { choice in
                        [
                            "value": choice.value, "name": choice.name, "reason": choice.reason,
                            "note": choice.reason == nil ? choice.note : nil, "product": group.product,
                            "isChosen": choice.value == typed && group.product == product,
                        ]
                    },
                ]
            },
        ]
    }
}
