import Foundation

/// A promotional offer in the older form: single values, which the developer's server signed with an API key.
///
/// The newer form is ``StoreRequestToken``. See docs/api/offers.md.
package struct PromotionalOfferSignature: Sendable, Equatable {
    /// The time for which a signature is valid, in milliseconds.
    package static let lifetime: Int64 = 86_400_000
    /// U+2063 INVISIBLE SEPARATOR, which separates the signed values.
    private static let separator = "\u{2063}"

    /// The bundle id of the app.
    package let bundleID: String
    /// The id of the API key with which the values are allegedly signed.
    package let keyID: String
    /// The subscription product that the customer buys.
    package let productID: String
    /// The offer identifier.
    package let offerID: String
    /// The app's name for its customer, often the app account token; empty if there is none. Upper and lower case are
    /// equivalent.
    package let applicationUsername: String
    /// A UUID that is valid once. The caller stores used nonces. Upper and lower case are equivalent.
    package let nonce: String
    /// The date of the signature, in milliseconds since 1970.
    package let timestamp: Int64

    /// Creates the offer from its values.
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

    /// The text that the developer's server signs, as UTF-8, with ECDSA and SHA-256.
    package var signedText: String {
        [
            bundleID, keyID, productID, offerID, applicationUsername.lowercased(), nonce.lowercased(),
            String(timestamp),
        ].joined(separator: Self.separator)
    }

    /// Verifies the signature and its date.
    ///
    /// - Parameters:
    ///   - signature: the signature as DER in standard Base64, as Apple's libraries create it.
    ///   - key: the public key with the id ``keyID``.
    ///   - now: the current time on the clock that the developer's server uses, in milliseconds since 1970.
    ///   - leeway: the number of milliseconds by which that server's clock may be ahead.
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
        // The difference is a Double, because an untrusted timestamp may be any 64-bit number, so that an integer
        // could overflow.
        let age = Double(now) - Double(timestamp)
        guard age <= Double(Self.lifetime) else {
            throw .expired(seconds: (age - Double(Self.lifetime)) / 1_000)
        }
        guard age >= -Double(leeway) else { throw .issuedInFuture(seconds: -age / 1_000) }
    }
}
