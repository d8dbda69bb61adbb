/// A defect of a receipt whose payload may be right: exactly one thing is wrong.
package enum ReceiptForgery: String, CaseIterable, Sendable {
    /// The certificates are correct except for the root, which is another one with the same name.
    case wrongRoot = "wrong-root"
    /// The leaf has no marker extension for signing receipts.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate has no marker extension for issuing such leaves.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// The leaf expired the day before the receipt was made.
    case expiredLeaf = "expired-leaf"
    /// The leaf becomes valid the day after the receipt was made.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature was flipped.
    case tamperedSignature = "tampered-signature"
    /// The last bytes are missing.
    case truncated = "truncated"
    /// Extra bytes follow the end.
    case trailingBytes = "trailing-bytes"

    /// Whether the bytes are not a receipt any more, rather than one with an invalid signature.
    package var isMalformed: Bool { self == .truncated || self == .trailingBytes }
}

/// A defect of the receipt of a single transaction.
package enum TransactionReceiptForgery: String, CaseIterable, Sendable {
    /// Signed with a certificate of the same name under another root.
    case wrongSigner = "transaction-wrong-signer"
    /// The purchase info was changed after signing.
    case tamperedPurchase = "transaction-tampered-purchase"
    /// One bit of the signature was flipped.
    case tamperedSignature = "transaction-tampered-signature"
}
