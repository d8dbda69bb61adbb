/// The key of a `.storekit` file that signs promotional offers.
///
/// Till stores its public half only. The private half never appears in a description or a dump.
package struct OfferKeyPair: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// `keyId` of the signature.
    package let id: String
    /// A P-256 private key, PKCS#8 in DER.
    package let privateKey: [UInt8]

    /// A key pair of a file.
    package init(id: String, privateKey: [UInt8]) {
        self.id = id
        self.privateKey = privateKey
    }

    /// The id alone.
    package var description: String { "offer key \(id)" }

    /// The id alone.
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
