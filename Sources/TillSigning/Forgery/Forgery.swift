/// The defects of forged signed data. Each has exactly one defect; everything else is correct.
package enum Forgery: String, CaseIterable, Sendable {
    /// The chain is issued under another root, which has the same name as the trusted root.
    case wrongRoot = "wrong-root"
    /// The leaf lacks the marker extension.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate lacks the marker extension.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// `x5c` does not contain the root.
    case chainOfTwo = "chain-of-two"
    /// `x5c` contains the root twice.
    case chainOfFour = "chain-of-four"
    /// The leaf expired the day before the payload was signed.
    case expiredLeaf = "expired-leaf"
    /// The leaf becomes valid the day after the payload was signed.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature was flipped.
    case tamperedSignature = "tampered-signature"
    /// `alg` is none, and the signature is empty.
    case algorithmNone = "alg-none"
    /// `alg` is HS256, and the secret is the leaf's public key as PEM, which an attacker knows.
    case sharedSecret = "hs256-public-key"
}
