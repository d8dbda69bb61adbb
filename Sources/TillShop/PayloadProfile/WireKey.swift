/// The properties of a key in payloads and answers.
package struct WireKey: Sendable {
    /// When a key is present.
    package enum Presence: Sendable {
        /// In every object of its kind, for the product and notification types that have it.
        case always
        /// Always in production; Apple's sandbox omits it.
        case inProduction
        /// If there is a value.
        case optional
    }

    /// The name of the key.
    package let name: String
    /// When it is present.
    package let presence: Presence
    /// The version of the API that introduced it: 1.x.
    package let since: Int
    /// Whether its value is from a list that Apple may extend.
    package let isListed: Bool
    /// The kind of the object, or of the array's elements.
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
