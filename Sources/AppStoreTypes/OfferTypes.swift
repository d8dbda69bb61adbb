/// The four kinds of offer. The raw value is `offerType` in the payload.
public enum OfferType: Int, Codable, CaseIterable, Sendable {
    /// An introductory offer.
    case introductory = 1
    /// A promotional offer.
    case promotional = 2
    /// An offer code.
    case code = 3
    /// A win-back offer.
    case winBack = 4

    /// The kind as text for messages.
    public var words: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .code: "code"
        case .winBack: "win-back"
        }
    }
}

/// The payment mode of an offer (`offerDiscountType`).
public enum OfferDiscountType: String, Codable, CaseIterable, Sendable {
    case freeTrial = "FREE_TRIAL"
    case payAsYouGo = "PAY_AS_YOU_GO"
    case payUpFront = "PAY_UP_FRONT"
    /// A one-time price; only for one-time products, with an offer code.
    case oneTime = "ONE_TIME"
}
