import TillShop

/// Reads responses of control operations.
extension JSONTree {
    /// A value of an object.
    subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// A string, or the digits of a number.
    var text: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        default: nil
        }
    }

    /// A whole number.
    var number: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    /// Whether it is `true`.
    var isTrue: Bool { self == .bool(true) }

    /// The elements of an array; none for anything else.
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    /// The members of an object; none for anything else.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
