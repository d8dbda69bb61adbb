/// A JSON value in the header or payload of a token.
package enum Claim: Sendable, Equatable {
    case string(String)
    /// A finite number. 1 and 1.0 are equal.
    case number(Double)
    case bool(Bool)
    case null
    case array([Claim])
    case object([String: Claim])

    /// The name of the kind of value in explanations.
    var kind: String {
        switch self {
        case .string: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
