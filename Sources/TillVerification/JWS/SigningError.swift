/// An error about keys or certificates. It contains the part with the problem, the reason, and the library's error if
/// there is one.
///
/// Two errors are equal if their code and part are equal; the message is only for display.
package struct SigningError: Error, Sendable {
    /// The kinds of failure.
    package enum Code: Sendable, Hashable {
        /// The text is not PEM of the expected kind.
        case unreadable
        /// A private key does not belong to its certificate.
        case mismatchedKey
        /// The certificates do not form a chain, or lack something that verifiers require.
        case brokenChain
        /// A name, URL or identifier is invalid.
        case unusableValue
        /// The cryptographic library rejected an operation.
        case cryptography
    }

    /// The kind of failure.
    package let code: Code
    /// The part with the problem.
    package let part: ChainPart
    /// A sentence with the part and the reason. It never contains key material.
    package let message: String
    /// The error of the cryptographic library; nil if there is none.
    package let underlying: (any Error)?

    /// - Parameter reason: the predicate of a sentence whose subject is the part.
    package init(_ code: Code, _ part: ChainPart, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.part = part
        self.message = "The \(part.rawValue) \(reason)."
        self.underlying = underlying
    }

    /// Runs `work` and converts any error into a `SigningError` about `part`.
    package static func wrapping<Value>(
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
