/// A case of the attack pack: signed data with one defect, or valid data as a control (docs/operating/attack-pack.md).
public enum AttackCase: String, Codable, CaseIterable, Sendable {
    /// Valid data, to detect a verifier that rejects everything.
    case control
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
    /// `alg` is HS256, and the secret is the leaf's public key, which an attacker knows.
    case sharedSecret = "hs256-public-key"
    /// Correctly signed data of another app.
    case otherApp = "other-app"
    /// Correctly signed data of the other environment.
    case otherEnvironment = "other-environment"
    /// Correctly signed renewal info in place of the transaction.
    case renewalInfo = "renewal-info-as-transaction"
    /// A correctly signed notification that is sent twice.
    case replayed = "replayed-notification"
}

/// A receipt case of the attack pack: a receipt with one defect, or a valid receipt as a control.
public enum ReceiptAttackCase: String, Codable, CaseIterable, Sendable {
    /// A valid receipt, to detect a verifier that rejects everything.
    case control
    /// The chain is issued under another root, which has the same name as the trusted root.
    case wrongRoot = "wrong-root"
    /// The leaf lacks the marker extension.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate lacks the marker extension.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// The leaf expired the day before the receipt was created.
    case expiredLeaf = "expired-leaf"
    /// The leaf becomes valid the day after the receipt was created.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature was flipped.
    case tamperedSignature = "tampered-signature"
    /// The last bytes are missing.
    case truncated
    /// Extra bytes follow at the end.
    case trailingBytes = "trailing-bytes"
    /// A correctly signed receipt of another app.
    case otherApp = "other-app"
    /// A correctly signed receipt of the other environment.
    case otherEnvironment = "other-environment"
    /// A correctly signed receipt with the hash of another device.
    case otherDevice = "other-device"
    /// A correctly signed receipt with the hash of another app on the same device.
    case otherAppsHash = "other-apps-hash"
    /// A valid receipt of a single transaction.
    case transactionControl = "transaction-control"
    /// A receipt of a single transaction, signed by a certificate under another root.
    case transactionWrongSigner = "transaction-wrong-signer"
    /// A receipt of a single transaction, changed after signing.
    case transactionTamperedPurchase = "transaction-tampered-purchase"
    /// A receipt of a single transaction, with one flipped bit in the signature.
    case transactionTamperedSignature = "transaction-tampered-signature"
}
