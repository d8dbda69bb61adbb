/// The reason why a purchase is on hold.
public enum HeldPurchaseReason: String, Codable, CaseIterable, Sendable {
    /// A parent must approve the purchase.
    case askToBuy
    /// The customer must complete an interrupted purchase.
    case interrupted
}
