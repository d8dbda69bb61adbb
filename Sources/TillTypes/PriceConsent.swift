/// Whether subscribers must agree to a price increase.
public enum PriceConsent: String, Codable, CaseIterable, Sendable {
    /// The App Store's conditions apply: amount, frequency and the law of the storefront.
    case automatic
    case required
    case notNeeded
}
