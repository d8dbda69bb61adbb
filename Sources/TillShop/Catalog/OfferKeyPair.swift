/// The key in a `.storekit` file with which promotional offers are signed.
///
/// Till stores only the public key. The private key never appears in `description` or in a dump.
package struct OfferKeyPair: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The id of the key, which is the `keyId` of a signature.
    package let id: String
    /// The P-256 private key, as PKCS#8 in DER.
    package let privateKey: [UInt8]

    /// The id of the key, without the private key.
    package var description: String { "offer key \(id)" }

    /// The id of the key, without the private key.
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
