/// A value in the header or payload of a token that a client made.
package enum Claim: Sendable, Equatable {
    case string(String)
    /// A finite number; JSON does not distinguish 1 from 1.0, so neither do tokens.
    case number(Double)
    case bool(Bool)
    case null
    case array([Claim])
    case object([String: Claim])

    /// The kind of value, as explanations name it.
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
