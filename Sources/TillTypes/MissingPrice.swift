/// The rule for a purchase in a storefront for which the catalog has no price.
public enum MissingPrice: String, Codable, CaseIterable, Sendable {
    /// Uses the number of the standard price in the storefront's currency, as Xcode does.
    case storefrontCurrency
    /// Refuses the purchase.
    case refuse
}
