import TillCore

/// The names that ``CatalogDocument`` uses for the kinds, modes and audiences of offers.
package enum OfferNames {
    static let kinds: KeyValuePairs<String, OfferType> = [
        "INTRODUCTORY": .introductory, "PROMOTIONAL": .promotional, "CODE": .code, "WIN_BACK": .winBack,
    ]
    static let codeOnly: KeyValuePairs<String, OfferType> = ["CODE": .code]
    static let modes: KeyValuePairs<String, OfferDiscountType> = [
        "FREE_TRIAL": .freeTrial, "PAY_AS_YOU_GO": .payAsYouGo, "PAY_UP_FRONT": .payUpFront,
    ]
    static let oneTimeOnly: KeyValuePairs<String, OfferDiscountType> = ["ONE_TIME": .oneTime]
    static let audiences: KeyValuePairs<String, CodeAudience> = [
        "NEW": .new, "EXISTING": .existing, "EXPIRED": .expired,
    ]

    /// The name of an offer kind.
    package static func name(of kind: OfferType) -> String {
        switch kind {
        case .introductory: "INTRODUCTORY"
        case .promotional: "PROMOTIONAL"
        case .code: "CODE"
        case .winBack: "WIN_BACK"
        }
    }
}
