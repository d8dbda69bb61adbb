/// The defects of forged receipts. Each has exactly one defect; everything else is correct.
package enum ReceiptForgery: CaseIterable, Sendable {
    /// The chain is issued under another root, which has the same name as the trusted root.
    case wrongRoot
    /// The leaf lacks the marker extension.
    case leafWithoutMarker
    /// The intermediate lacks the marker extension.
    case intermediateWithoutMarker
    /// The leaf expired the day before the receipt was created.
    case expiredLeaf
    /// The leaf becomes valid the day after the receipt was created.
    case leafNotYetValid
    /// The payload was changed after signing.
    case tamperedPayload
    /// One bit of the signature was flipped.
    case tamperedSignature
    /// The last bytes of the receipt are missing.
    case truncated
    /// Extra bytes follow the end of the receipt.
    case trailingBytes

    /// Whether the defect makes the bytes unreadable as a receipt. With every other defect they are a readable receipt
    /// that is not authentic.
    package var isMalformed: Bool { self == .truncated || self == .trailingBytes }
}

/// The defects of forged receipts of single transactions.
package enum TransactionReceiptForgery: CaseIterable, Sendable {
    /// The receipt is signed with a certificate of the same name under another root.
    case wrongSigner
    /// The purchase info was changed after signing.
    case tamperedPurchase
    /// One bit of the signature was flipped.
    case tamperedSignature
}
