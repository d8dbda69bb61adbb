/// What is known of a key on the wire: whether Apple may leave it out, since when it is there, what stands under it.
package struct WireKey: Sendable {
    /// When a key is there.
    package enum Presence: Sendable {
        /// In every object of its kind, for the types of product and of notification that have it.
        case always
        /// In production always; Apple's sandbox leaves it out.
        case inProduction
        /// Where there is something to say.
        case optional
    }

    /// As it stands on the wire.
    package let name: String
    /// When it is there.
    package let presence: Presence
    /// The version of the API that brought it: 1.x.
    package let since: Int
    /// Whether its value is one of a list that Apple may add to.
    package let isListed: Bool
    /// What the object under it is, or the elements of the array.
    package let inner: WireObject?

    static func always(_ name: String, since: Int = 0, isListed: Bool = false, of inner: WireObject? = nil) -> WireKey {
        WireKey(name: name, presence: .always, since: since, isListed: isListed, inner: inner)
    }

    static func inProduction(_ name: String) -> WireKey {
        WireKey(name: name, presence: .inProduction, since: 0, isListed: false, inner: nil)
    }

    static func optional(_ name: String, since: Int = 0, isListed: Bool = false, of inner: WireObject? = nil) -> WireKey
    {
        WireKey(name: name, presence: .optional, since: since, isListed: isListed, inner: inner)
    }
}
