/// A defect of signed data whose payload may be right: exactly one thing is wrong.
package enum Forgery: String, CaseIterable, Sendable {
    /// The certificates are correct except for the root, which is another one with the same name.
    case wrongRoot = "wrong-root"
    /// The leaf has no marker extension for signing such data.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate has no marker extension for issuing such leaves.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// The root is left out of `x5c`.
    case chainOfTwo = "chain-of-two"
    /// The root occurs twice in `x5c`.
    case chainOfFour = "chain-of-four"
    /// The leaf expired the day before.
    case expiredLeaf = "expired-leaf"
    /// The leaf becomes valid the day after.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature was flipped.
    case tamperedSignature = "tampered-signature"
    /// `alg` is none, and the signature is empty.
    case algorithmNone = "alg-none"
    /// `alg` is HS256, and the secret is the leaf's public key as PEM, which is public.
    case sharedSecret = "hs256-public-key"
}
