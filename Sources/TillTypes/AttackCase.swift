/// A case of the attack pack: signed data or a receipt with one defect, or valid data as a control
/// (docs/operating/attack-pack.md).
public enum AttackCase: String, Codable, CaseIterable, Sendable {
    /// Valid data, to detect a verifier that rejects everything.
    case control
    /// The chain is issued under another root, which has the same name as the trusted root.
    case wrongRoot = "wrong-root"
    /// The leaf lacks the marker extension.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate lacks the marker extension.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// Only for signed data: `x5c` does not contain the root.
    case chainOfTwo = "chain-of-two"
    /// Only for signed data: `x5c` contains the root twice.
    case chainOfFour = "chain-of-four"
    /// The leaf expired the day before the data was signed.
    case expiredLeaf = "expired-leaf"
    /// The leaf becomes valid the day after the data was signed.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature was flipped.
    case tamperedSignature = "tampered-signature"
    /// Only for signed data: `alg` is none, and the signature is empty.
    case algorithmNone = "alg-none"
    /// Only for signed data: `alg` is HS256, and the secret is the leaf's public key, which an attacker knows.
    case sharedSecret = "hs256-public-key"
    /// Only for a receipt: the last bytes are missing.
    case truncated
    /// Only for a receipt: extra bytes follow at the end.
    case trailingBytes = "trailing-bytes"
    /// Correctly signed data of another app.
    case otherApp = "other-app"
    /// Correctly signed data of the other environment.
    case otherEnvironment = "other-environment"
    /// Only for signed data: correctly signed renewal info in place of the transaction.
    case renewalInfo = "renewal-info-as-transaction"
    /// Only for signed data: a correctly signed notification that is sent twice.
    case replayed = "replayed-notification"
    /// Only for a receipt: correctly signed, with the hash of another device.
    case otherDevice = "other-device"
    /// Only for a receipt: correctly signed, with the hash of another app on the same device.
    case otherAppsHash = "other-apps-hash"
    /// Only for a receipt: a valid receipt of a single transaction.
    case transactionControl = "transaction-control"
    /// Only for a receipt of a single transaction: signed by a certificate under another root.
    case transactionWrongSigner = "transaction-wrong-signer"
    /// Only for a receipt of a single transaction: changed after signing.
    case transactionTamperedPurchase = "transaction-tampered-purchase"
    /// Only for a receipt of a single transaction: one bit of the signature was flipped.
    case transactionTamperedSignature = "transaction-tampered-signature"
}
