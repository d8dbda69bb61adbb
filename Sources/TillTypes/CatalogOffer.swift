/// The kind of an offer in a catalog.
public enum OfferKind: String, Codable, CaseIterable, Sendable {
    /// The introductory offer for new subscribers.
    case introductory = "INTRODUCTORY"
    /// An offer that the app's server signs for a customer.
    case promotional = "PROMOTIONAL"
    /// An offer code.
    case code = "CODE"
    /// An offer for former subscribers.
    case winBack = "WIN_BACK"
}

/// The customers who may redeem an offer code, by their history in the subscription group.
public enum OfferAudience: String, Codable, CaseIterable, Sendable {
    /// Customers who never subscribed.
    case new = "NEW"
    /// Current subscribers.
    case existing = "EXISTING"
    /// Former subscribers.
    case expired = "EXPIRED"
}
