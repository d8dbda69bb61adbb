/// How large a catalogue may be. Far above what a real app has, and low enough that a hostile file costs little memory.
package enum CatalogLimits {
    /// Bytes of a whole document.
    package static let bytes = 8 * 1_024 * 1_024
    /// Arrays and objects inside each other.
    package static let depth = 64
    /// Values of a document, counting each string, number, array and object.
    package static let values = 250_000
    /// Products of a catalogue, of all types together.
    package static let products = 10_000
    /// Subscription groups of a catalogue.
    package static let groups = 1_000
    /// Offers of one kind on one product; 350 win-back offers are the most that the App Store takes.
    package static let offers = 500
    /// Languages of one product or group.
    package static let localizations = 200
    /// Billing plans of one product.
    package static let billingPlans = 10
    /// Characters of an identifier.
    package static let identifier = 255
    /// Characters of a name or a description.
    package static let text = 10_000
    /// Faults that are listed; past them a document is not read further.
    package static let faults = 1_000
    /// Bytes of the places at which faults are; past them no more is listed.
    package static let bytesOfFaults = 128 * 1_024

    // MARK: Numbers. A catalog is refused with others, so that every state with a catalog can be imported elsewhere.

    /// Levels of a subscription group.
    package static let levels = 1...1_000_000
    /// How often one offer code can be redeemed.
    package static let redemptions = 1...largest
    /// Apple ids of apps.
    package static let appleIDs = 1...largest
    /// The last millisecond of the year 9999, which is the largest number that a state holds except for identifiers.
    private static let largest = 253_402_300_799_999
}
