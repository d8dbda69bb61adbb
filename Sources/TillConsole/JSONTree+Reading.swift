import TillShop

/// Reads responses of control operations.
extension JSONTree {
    /// The value of a key; nil if this is not an object or has no such key.
    subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// A string, or the digits of a number; nil for any other value.
    var text: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        default: nil
        }
    }

    /// A whole number; nil for any other value.
    var number: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    /// Whether the value is `true`.
    var isTrue: Bool { self == .bool(true) }

    /// The elements of an array; none for anything else.
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    /// The members of an object; none for anything else.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
