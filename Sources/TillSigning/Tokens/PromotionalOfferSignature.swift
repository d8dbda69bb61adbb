import Foundation

/// The older form of a promotional offer: the values and, separately, a signature over them that the developer's server
/// made with an API key.
///
/// The newer form is ``StoreRequestToken``. See docs/api/offers.md.
package struct PromotionalOfferSignature: Sendable, Equatable {
    /// How long a signature is valid, in milliseconds.
    package static let lifetime: Int64 = 86_400_000
    /// U+2063 INVISIBLE SEPARATOR, between the signed values.
    private static let separator = "\u{2063}"

    /// The app.
    package let bundleID: String
    /// The API key that supposedly signed.
    package let keyID: String
    /// The subscription to buy.
    package let productID: String
    /// The offer of that subscription.
    package let offerID: String
    /// The app's name for its customer, often an account token; empty when there is none. Upper and lower case are
    /// equivalent.
    package let applicationUsername: String
    /// A UUID that is valid once; the caller stores used ones. Upper and lower case are equivalent.
    package let nonce: String
    /// When the signature was made, in milliseconds since 1970.
    package let timestamp: Int64

    /// A signature's values.
    package init(
        bundleID: String,
        keyID: String,
        productID: String,
        offerID: String,
        applicationUsername: String,
        nonce: String,
        timestamp: Int64
    ) {
        self.bundleID = bundleID
        self.keyID = keyID
        self.productID = productID
        self.offerID = offerID
        self.applicationUsername = applicationUsername
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The text that is signed (ECDSA with SHA-256, as UTF-8).
    package var signedText: String {
        [
            bundleID, keyID, productID, offerID, applicationUsername.lowercased(), nonce.lowercased(),
            String(timestamp),
        ].joined(separator: Self.separator)
    }

    /// Verifies the signature and its time.
    ///
    /// - Parameters:
    ///   - signature: DER in standard Base64, as from the official libraries.
    ///   - key: the public half of the key that ``keyID`` names.
    ///   - now: milliseconds since 1970, by the clock that the developer's server uses.
    ///   - leeway: how many milliseconds that server's clock may be ahead.
    /// - Throws: ``OfferSignatureRefusal``.
    package func verify(
        _ signature: String,
        key: VerificationKey,
        now: Int64,
        leeway: Int64 = 60_000
    ) throws(OfferSignatureRefusal) {
        guard UUID(uuidString: nonce) != nil else { throw .nonceNotUUID(nonce) }
        guard let der = Base64.decode(signature) else { throw .notBase64 }
        guard key.isValid(der: der, for: Array(signedText.utf8)) else { throw .badSignature(keyID: keyID) }
        // As Doubles, because an untrusted timestamp may be any 64-bit number and the difference could overflow.
        let age = Double(now) - Double(timestamp)
        guard age <= Double(Self.lifetime) else {
            throw .expired(seconds: (age - Double(Self.lifetime)) / 1_000)
        }
        guard age >= -Double(leeway) else { throw .issuedInFuture(seconds: -age / 1_000) }
    }
}
