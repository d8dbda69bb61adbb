/// Reads values by key and type.
extension JSONTree {
    /// A value of an object.
    package subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// A string, the digits of a number, or `true` or `false`.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    /// A whole number, written without a fraction or an exponent.
    package var number: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    /// Any number, rounded to the nearest `Double`.
    package var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }

    /// Whether it is `true`.
    package var isTrue: Bool { self == .bool(true) }

    /// The elements of an array; none for anything else.
    package var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    /// The members of an object; none for anything else.
    package var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
