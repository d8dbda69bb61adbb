/// The defects of forged signed data. Each has exactly one defect; everything else is correct.
package enum Forgery: CaseIterable, Sendable {
    /// The chain is issued under another root, which has the same name as the trusted root.
    case wrongRoot
    /// The leaf lacks the marker extension.
    case leafWithoutMarker
    /// The intermediate lacks the marker extension.
    case intermediateWithoutMarker
    /// `x5c` does not contain the root.
    case chainOfTwo
    /// `x5c` contains the root twice.
    case chainOfFour
    /// The leaf expired the day before the payload was signed.
    case expiredLeaf
    /// The leaf becomes valid the day after the payload was signed.
    case leafNotYetValid
    /// The payload was changed after signing.
    case tamperedPayload
    /// One bit of the signature was flipped.
    case tamperedSignature
    /// `alg` is none, and the signature is empty.
    case algorithmNone
    /// `alg` is HS256, and the secret is the leaf's public key as PEM, which an attacker knows.
    case sharedSecret
}
