/// The progress of a price increase.
public enum PriceIncreaseState: String, Codable, CaseIterable, Sendable {
    /// The customer has not been notified.
    case scheduled
    /// The customer must agree, and has not answered yet.
    case pending
    /// The customer agreed, or was notified of an increase that needs no consent.
    case accepted
}
