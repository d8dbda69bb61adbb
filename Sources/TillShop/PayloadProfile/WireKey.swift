/// The properties of a key in payloads and responses.
package struct WireKey: Sendable {
    /// When a key is present.
    package enum Presence: Sendable {
        /// In every object of its kind whose product type or notification type has the key.
        case always
        /// In every object in production. Apple's sandbox omits the key.
        case inProduction
        /// Only if there is a value.
        case optional
    }

    /// The name of the key.
    package let name: String
    /// The condition under which the key is present.
    package let presence: Presence
    /// The minor version of the App Store Server API that introduced the key: x in 1.x.
    package let since: Int
    /// Whether the value comes from a list that Apple may extend.
    package let isListed: Bool
    /// The kind of object in the value or in the array's elements; nil if the value contains no objects.
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
