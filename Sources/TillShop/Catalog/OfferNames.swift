import TillCore

/// The names that ``CatalogDocument`` uses for the kinds, modes and audiences of offers.
package enum OfferNames {
    static let kinds: KeyValuePairs<String, OfferType> = [
        OfferKind.introductory.rawValue: .introductory, OfferKind.promotional.rawValue: .promotional,
        OfferKind.code.rawValue: .code, OfferKind.winBack.rawValue: .winBack,
    ]
    static let codeOnly: KeyValuePairs<String, OfferType> = [OfferKind.code.rawValue: .code]
    static let modes: KeyValuePairs<String, OfferDiscountType> = [
        "FREE_TRIAL": .freeTrial, "PAY_AS_YOU_GO": .payAsYouGo, "PAY_UP_FRONT": .payUpFront,
    ]
    static let oneTimeOnly: KeyValuePairs<String, OfferDiscountType> = ["ONE_TIME": .oneTime]
    static let audiences: KeyValuePairs<String, CodeAudience> = [
        OfferAudience.new.rawValue: .new, OfferAudience.existing.rawValue: .existing,
        OfferAudience.expired.rawValue: .expired,
    ]

    /// The name of an offer kind.
    package static func name(of kind: OfferType) -> String {
        switch kind {
        case .introductory: OfferKind.introductory.rawValue
        case .promotional: OfferKind.promotional.rawValue
        case .code: OfferKind.code.rawValue
        case .winBack: OfferKind.winBack.rawValue
        }
    }
}
