/// What went wrong with keys and certificates: a part, why, and the library's own error when there is one.
///
/// Two errors are equal when code and part are; the message is for people.
package struct SigningError: Error, Sendable {
    /// The kinds of failure.
    package enum Code: Sendable, Hashable {
        /// The text is not PEM of the expected kind.
        case unreadable
        /// A private key belongs to another certificate.
        case mismatchedKey
        /// The certificates do not lead to each other, or lack what verifiers ask for.
        case brokenChain
        /// A name, URL or identifier cannot be used.
        case unusableValue
        /// The cryptographic library refused an operation.
        case cryptography
    }

    /// The kind of failure.
    package let code: Code
    /// The part concerned.
    package let part: ChainPart
    /// A sentence that says which part and why. Never contains key material.
    package let message: String
    /// What the library threw.
    package let underlying: (any Error)?

    init(_ code: Code, _ part: ChainPart, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.part = part
        self.message = "The \(part.rawValue) \(reason)."
        self.underlying = underlying
    }

    /// Runs `work` and turns whatever it throws into an error about `part`.
    static func wrapping<Value>(
        _ code: Code,
        _ part: ChainPart,
        _ reason: String,
        _ work: () throws -> Value
    ) throws(SigningError) -> Value {
        do {
            return try work()
        } catch {
            throw SigningError(code, part, reason, underlying: error)
        }
    }
}

extension SigningError: Equatable, CustomStringConvertible {
    package static func == (left: SigningError, right: SigningError) -> Bool {
        left.code == right.code && left.part == right.part
    }

    package var description: String {
        guard let underlying else { return message }
        return "\(message) (\(underlying))"
    }
}
