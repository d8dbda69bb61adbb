import TillJSON

/// Limits of a catalog: far above what a real app has, and low enough that a hostile file needs little memory.
package enum CatalogLimits {
    /// Bytes of a document.
    package static let bytes = JSONLimits.standard.bytes
    /// Products in a catalog, of all types together.
    package static let products = 10_000
    /// The maximum number of subscription groups in a catalog.
    package static let groups = 1_000
    /// The maximum number of offers of one kind on one product. The App Store allows up to 350 win-back offers.
    package static let offers = 500
    /// The maximum number of languages of one product or group.
    package static let localizations = 200
    /// The maximum number of billing plans of one product.
    package static let billingPlans = 10
    /// The maximum number of characters of an identifier.
    package static let identifier = 255
    /// The maximum number of characters of a name or a description.
    package static let text = 10_000
    /// Listed faults; after them reading stops.
    package static let faults = JSONLimits.faults

    // MARK: Numbers. Every catalog must stay within these ranges; otherwise its export could not be imported.

    /// The valid levels in a subscription group.
    package static let levels = 1...1_000_000
    /// The valid redemption limits of an offer code.
    package static let redemptions = 1...largest
    /// The valid Apple ids of apps.
    package static let appleIDs = 1...largest
    /// The last millisecond of the year 9999. Except for identifiers, an exported state contains no larger number.
    private static let largest = 253_402_300_799_999
}
