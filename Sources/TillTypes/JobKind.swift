/// The operation that a job applies to each account.
public enum JobKind: String, Codable, CaseIterable, Sendable {
    /// Raises the price of a subscription.
    case raisePrice
    /// Extends the current period of all subscribers of a product.
    case extend
    /// Turns on Family Sharing for a product.
    case shareProduct
}
