/// A value in the header or payload of a token somebody else made.
package enum Claim: Sendable, Equatable {
    case string(String)
    /// A finite number; JSON does not tell 1 from 1.0, and neither do tokens.
    case number(Double)
    case bool(Bool)
    case null
    case array([Claim])
    case object([String: Claim])

    /// What the value is, as an explanation names it.
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
