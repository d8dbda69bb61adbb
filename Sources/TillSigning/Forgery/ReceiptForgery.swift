/// A way in which a receipt can be wrong although its payload may be right: one thing, everything else is in order.
package enum ReceiptForgery: String, CaseIterable, Sendable {
    /// All certificates are right but for the root, which is somebody else's of the same name.
    case wrongRoot = "wrong-root"
    /// The leaf is not marked as one that signs receipts.
    case leafWithoutMarker = "leaf-without-marker"
    /// The intermediate is not marked as one under which such leaves are issued.
    case intermediateWithoutMarker = "intermediate-without-marker"
    /// The leaf's time was over the day before the receipt was made.
    case expiredLeaf = "expired-leaf"
    /// The leaf's time begins the day after the receipt was made.
    case leafNotYetValid = "leaf-not-yet-valid"
    /// The payload was changed after the signing.
    case tamperedPayload = "tampered-payload"
    /// One bit of the signature is another.
    case tamperedSignature = "tampered-signature"
    /// The last bytes are missing.
    case truncated = "truncated"
    /// Bytes follow on the end.
    case trailingBytes = "trailing-bytes"

    /// Whether the bytes are no receipt any more, rather than one that nobody signed.
    package var isMalformed: Bool { self == .truncated || self == .trailingBytes }
}

/// A way in which the receipt of a single transaction can be wrong.
package enum TransactionReceiptForgery: String, CaseIterable, Sendable {
    /// Signed with a certificate of the same name under another root.
    case wrongSigner = "transaction-wrong-signer"
    /// The purchase info was changed after the signing.
    case tamperedPurchase = "transaction-tampered-purchase"
    /// One bit of the signature is another.
    case tamperedSignature = "transaction-tampered-signature"
}
