import TillJSON
import TillSigning

/// A part of a decoded text: a signed token, a receipt, a JSON document or certificates.
package struct DecodedPart: Sendable {
    /// The kind of a part.
    package enum Kind: String, Sendable {
        case notification, transaction, renewalInfo, appTransaction
        /// A text of another kind that is signed with certificates.
        case signed
        /// A token that is signed with a developer's key: a bearer token for the API, or an offer signature.
        case token
        case receipt, transactionReceipt
        case json, certificate
        /// A part that cannot be read.
        case unknown
    }

    /// The kind of the part.
    package var kind: Kind
    /// The path in the enclosing part, such as `$.data.signedTransactionInfo`; nil for the text itself.
    package var place: String?
    /// The number of parts that enclose this part.
    package var depth = 0
    /// The text of a signed token or of the receipt of a single transaction; nil for every other part.
    package var text: String?
    /// The header of a signed token.
    package var header: JSONTree?
    /// The decoded payload.
    package var payload: JSONTree?
    /// The certificates in the part, in their order.
    package var certificates: [CertificateFacts] = []
    /// The signer and the validity of the signature; nil for an unsigned part.
    package var verdict: SignatureVerdict?
    /// A sentence that explains why the part, or a piece of it, cannot be read; nil if it was read.
    package var fault: String?

    init(_ kind: Kind, at place: String? = nil, depth: Int = 0) {
        self.kind = kind
        self.place = place
        self.depth = depth
    }
}

/// The signer and the validity of a signature.
package struct SignatureVerdict: Sendable, Equatable {
    /// The signer of a text.
    package enum Signer: String, Sendable {
        /// This Till: the certificates lead to its root.
        case thisTill
        case otherTill
        case apple
        /// A root that belongs neither to a Till nor to Apple.
        case unknownRoot
        /// A key that this Till knows.
        case key
        /// The signature is not valid.
        case invalid
    }

    /// The signer.
    package let signer: Signer
    /// The result in one or two sentences.
    package let words: String
    /// Problems and additional information, as sentences.
    package var notes: [String] = []

    static func invalid(_ words: String, _ notes: [String] = []) -> SignatureVerdict {
        SignatureVerdict(signer: .invalid, words: words, notes: notes)
    }
}
