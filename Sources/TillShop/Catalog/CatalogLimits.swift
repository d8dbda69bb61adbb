import TillJSON

/// Limits of a catalog: far above what a real app has, and low enough that a hostile file needs little memory.
package enum CatalogLimits {
    /// Bytes of a document.
    package static let bytes = JSONLimits.standard.bytes
    /// Products in a catalog, of all types together.
    package static let products = 10_000
    /// Subscription groups in a catalog.
    package static let groups = 1_000
    /// Offers of one kind on one product; the App Store allows up to 350 win-back offers.
    package static let offers = 500
    /// Languages of one product or group.
    package static let localizations = 200
    /// Billing plans of one product.
    package static let billingPlans = 10
    /// Characters of an identifier.
    package static let identifier = 255
    /// Characters of a name or a description.
    package static let text = 10_000
    /// Listed faults; after them reading stops.
    package static let faults = JSONLimits.faults

    // MARK: Numbers. Every catalog must stay within them, so that a state with it can be imported elsewhere.

    /// Levels of a subscription group.
    package static let levels = 1...1_000_000
    /// How often one offer code can be redeemed.
    package static let redemptions = 1...largest
    /// Apple ids of apps.
    package static let appleIDs = 1...largest
    /// The last millisecond of the year 9999, which is the largest number in a state except for identifiers.
    private static let largest = 253_402_300_799_999
}
