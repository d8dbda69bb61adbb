/// A type of product, as in the parameter `productType` of the transaction history. `ProductType` has the names in
/// signed transactions.
public enum ProductTypeName: String, Codable, CaseIterable, Sendable {
    /// An auto-renewable subscription.
    case autoRenewable = "AUTO_RENEWABLE"
    /// A subscription that does not renew.
    case nonRenewing = "NON_RENEWABLE"
    /// A product that customers can buy repeatedly.
    case consumable = "CONSUMABLE"
    /// A product that a customer buys once and owns.
    case nonConsumable = "NON_CONSUMABLE"
}
