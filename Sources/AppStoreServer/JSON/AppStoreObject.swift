/// An object in an answer or payload of the App Store.
///
/// Its properties have the names of Apple's keys. A property that is optional is nil if the key is absent. Creating an
/// object fails only if a key is missing that every server sends; keys and values that this library does not know never
/// make it fail, and are in `raw`.
public protocol AppStoreObject: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The object as it was sent.
    var raw: RawObject { get }
    /// A view of an object.
    ///
    /// - Throws: `MalformedObject` if a required key is missing or has a value of another type.
    init(raw: RawObject) throws
}

extension AppStoreObject {
    /// Reads an object from JSON.
    ///
    /// - Throws: `MalformedObject` if the text is not one object with the required keys.
    public init(json: String) throws { try self.init(raw: RawObject(utf8: Array(json.utf8))) }

    /// Reads the object from a decoder.
    public init(from decoder: any Decoder) throws { try self.init(raw: RawObject(from: decoder)) }

    /// Writes the object as it was sent.
    public func encode(to encoder: any Encoder) throws { try raw.encode(to: encoder) }

    /// The object as text.
    public var description: String { raw.json }
}
