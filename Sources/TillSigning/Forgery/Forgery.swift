/// A way in which signed data can be wrong although its payload may be right: one thing, everything else is in order.
package enum Forgery: String, CaseIterable, Sendable {
    /// All certificates are right but for the root, which is somebody else's of the same name.
    case wrongRoot = "wrong-root"
    /// The leaf is not marked as one that signs such data.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate is not marked as one under which such leaves are issued.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// The root is left out of `x5c`.
    case chainOfTwo = "chain-of-two"
    /// The root stands twice in `x5c`.
    case chainOfFour = "chain-of-four"
    /// The leaf's time was over the day before.
    case expiredLeaf = "expired-leaf"
    /// The leaf's time begins the day after.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after the signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature is another.
    case tamperedSignature = "tampered-signature"
    /// `alg` is none, and the signature is empty.
    case algorithmNone = "alg-none"
    /// `alg` is HS256, and the secret is the leaf's public key as PEM, which everybody knows.
    case sharedSecret = "hs256-public-key"
}
