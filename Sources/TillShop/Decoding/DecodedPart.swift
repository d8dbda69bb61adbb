import TillJSON
import TillSigning

/// A part found in a text: a signed token, a receipt, a JSON document.
package struct DecodedPart: Sendable {
    /// The kind of a part.
    package enum Kind: String, Sendable {
        case notification, transaction, renewalInfo, appTransaction
        /// Signed with certificates, and none of the above.
        case signed
        /// Signed with a developer's key: for the API, or for an offer.
        case token
        case receipt, transactionReceipt
        case json, certificate
        /// Unreadable.
        case unknown
    }

    /// The kind of the part.
    package var kind: Kind
    /// Its path in the part that contains it: `$.data.signedTransactionInfo`; nil for the text itself.
    package var place: String?
    /// How many parts contain it.
    package var depth = 0
    /// The text of the part, if it is one.
    package var text: String?
    /// The header of a signed token.
    package var header: JSONTree?
    /// The decoded payload.
    package var payload: JSONTree?
    /// Its certificates, in order.
    package var certificates: [CertificateFacts] = []
    /// The signer and validity of its signature; nil for an unsigned part.
    package var verdict: SignatureVerdict?
    /// Why it, or a piece of it, cannot be read; a sentence.
    package var fault: String?

    init(_ kind: Kind, at place: String? = nil, depth: Int = 0) {
        self.kind = kind
        self.place = place
        self.depth = depth
    }
}

/// The signer and validity of a signature.
package struct SignatureVerdict: Sendable, Equatable {
    /// The signer of a text.
    package enum Signer: String, Sendable {
        /// The root of this Till.
        case thisTill
        case otherTill
        case apple
        /// Another root.
        case unknownRoot
        /// A key that this Till knows.
        case key
        /// The signature is not valid.
        case invalid
    }

    /// The signer.
    package let signer: Signer
    /// One or two sentences.
    package let words: String
    /// Problems and additional information, as sentences.
    package let notes: [String]
}
