/// The defects of forged receipts. Each has exactly one defect; everything else is correct.
package enum ReceiptForgery: String, CaseIterable, Sendable {
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
    /// The last bytes of the receipt are missing.
    case truncated = "truncated"
    /// Extra bytes follow the end of the receipt.
    case trailingBytes = "trailing-bytes"

    /// Whether the defect makes the bytes unreadable as a receipt. With every other defect they are a readable receipt
    /// that is not authentic.
    package var isMalformed: Bool { self == .truncated || self == .trailingBytes }
}

/// The defects of forged receipts of single transactions.
package enum TransactionReceiptForgery: String, CaseIterable, Sendable {
    /// The receipt is signed with a certificate of the same name under another root.
    case wrongSigner = "transaction-wrong-signer"
    /// The purchase info was changed after signing.
    case tamperedPurchase = "transaction-tampered-purchase"
    /// One bit of the signature was flipped.
    case tamperedSignature = "transaction-tampered-signature"
}
