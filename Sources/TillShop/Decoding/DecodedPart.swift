import TillSigning

/// Something that was found in a text: a signed token, a receipt, a JSON document.
package struct DecodedPart: Sendable {
    /// What it is.
    package enum Kind: String, Sendable {
        case notification, transaction, renewalInfo, appTransaction
        /// Signed with certificates, and nothing of the above.
        case signed
        /// Signed with a developer's key: for the API, or for an offer.
        case token
        case receipt, transactionReceipt
        case json, certificate
        /// Nothing that can be read.
        case unknown
    }

    /// What it is.
    package var kind: Kind
    /// Where it stands in what holds it: `$.data.signedTransactionInfo`; nil for what was given.
    package var place: String?
    /// How many parts hold it.
    package var depth = 0
    /// The text itself, where it is one.
    package var text: String?
    /// The header of a signed token.
    package var header: JSONTree?
    /// What it says.
    package var payload: JSONTree?
    /// What it holds, in its order.
    package var certificates: [CertificateFacts] = []
    /// Who vouches for it; nil for what is not signed.
    package var verdict: SignatureVerdict?
    /// Why it, or a piece of it, cannot be read; a sentence.
    package var fault: String?

    init(_ kind: Kind, at place: String? = nil, depth: Int = 0) {
        self.kind = kind
        self.place = place
        self.depth = depth
    }
}

/// Who vouches for a signed text.
package struct SignatureVerdict: Sendable, Equatable {
    /// Who signed it.
    package enum Signer: String, Sendable {
        /// The root of this Till.
        case thisTill
        case otherTill
        case apple
        /// A root of neither.
        case stranger
        /// A key that this Till knows.
        case key
        /// Something is wrong with it.
        case nobody
    }

    /// Who signed it.
    package let signer: Signer
    /// One or two sentences.
    package let words: String
    /// Everything that is wrong, or worth knowing beside it; sentences.
    package let remarks: [String]
}
