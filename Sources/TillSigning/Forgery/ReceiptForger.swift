import Crypto
import CryptoExtras
import Foundation
import X509

/// Signs receipts that a correct verifier must reject. The certificates that it creates are not stored.
///
/// Creating a forger takes some tenths of a second, because it generates RSA keys. See docs/operating/attack-pack.md.
package struct ReceiptForger: Sendable {
    private static let day: Int64 = 86_400_000

    private let chain: ReceiptChain
    private let root: ReceiptAuthority
    /// A chain under another root, whose certificates have the same names as the correct chain.
    private let otherChain: ReceiptChain
    /// The key of the intermediates that issue faulty leaves under the correct root.
    private let intermediateKey: _RSA.Signing.PrivateKey

    /// - Parameters:
    ///   - root: the root that verifiers trust.
    ///   - chain: the correct chain under the root.
    package init(root: ReceiptAuthority, chain: ReceiptChain) throws(SigningError) {
        self.root = root
        self.chain = chain
        otherChain = try ReceiptChain.issue(under: try ReceiptAuthority.make())
        intermediateKey = try RSAKeys.make(.intermediateKey)
    }

    /// Creates a receipt with one defect.
    ///
    /// - Parameter altered: the receipt that replaces `receipt` after signing, for ``ReceiptForgery/tamperedPayload``.
    /// - Throws: ``SigningError``.
    package func sign(
        _ receipt: AppReceipt,
        altered: AppReceipt,
        _ forgery: ReceiptForgery
    ) throws(SigningError) -> [UInt8] {
        let made = receipt.creationDate
        switch forgery {
        case .wrongRoot: return try otherChain.mint(receipt)
        case .leafWithoutMarker: return try sign(receipt, isLeafMarked: false)
        case .intermediateWithoutMarker: return try sign(receipt, isIntermediateMarked: false)
        case .expiredLeaf:
            let end = CertificateProfile.date(made - Self.day)
            return try sign(receipt, validity: min(CertificateProfile.notValidBefore, end)...end)
        case .leafNotYetValid:
            let start = CertificateProfile.date(made + Self.day)
            return try sign(receipt, validity: start...max(CertificateProfile.notValidAfter, start))
        case .tamperedPayload:
            return chain.container.bytes(payload: altered.payload(), signature: try signature(of: receipt))
        case .tamperedSignature:
            var signature = try signature(of: receipt)
            signature[signature.count - 1] ^= 1
            return chain.container.bytes(payload: receipt.payload(), signature: signature)
        case .truncated: return try chain.mint(receipt).dropLast(16)
        case .trailingBytes: return try chain.mint(receipt) + [0, 0]
        }
    }

    /// Creates the receipt of a transaction with one defect, as the text that an app reads on the device.
    ///
    /// - Parameter altered: the receipt that replaces `receipt` after signing, for
    ///   ``TransactionReceiptForgery/tamperedPurchase``.
    /// - Throws: ``SigningError``.
    package func sign(
        _ receipt: TransactionReceipt,
        altered: TransactionReceipt,
        _ forgery: TransactionReceiptForgery
    ) throws(SigningError) -> String {
        switch forgery {
        case .wrongSigner: try otherChain.mint(receipt)
        case .tamperedPurchase: try chain.mint(receipt) { _, info in info = Array(altered.purchaseInfo().utf8) }
        case .tamperedSignature: try chain.mint(receipt) { signature, _ in signature[signature.count - 1] ^= 1 }
        }
    }

    // MARK: Certificates

    private func signature(of receipt: AppReceipt) throws(SigningError) -> [UInt8] {
        try chain.signature(of: receipt.payload())
    }

    /// Signs with a correct key and a faulty chain under the correct root.
    private func sign(
        _ receipt: AppReceipt,
        validity: ClosedRange<Date> = CertificateProfile.validity,
        isLeafMarked: Bool = true,
        isIntermediateMarked: Bool = true
    ) throws(SigningError) -> [UInt8] {
        let intermediate = try CertificateProfile.intermediate(
            name: CertificateProfile.receiptIntermediateName,
            key: intermediateKey,
            under: root.issuer,
            isMarked: isIntermediateMarked
        )
        let leaf = try CertificateProfile.leaf(
            name: CertificateProfile.receiptLeafName,
            key: chain.leafPrivateKey,
            under: .init(certificate: intermediate, key: intermediateKey),
            validity: validity,
            isMarked: isLeafMarked
        )
        let certificates = [
            try CertificateText.der(of: leaf, .leaf),
            try CertificateText.der(of: intermediate, .intermediate),
            root.certificateDER,
        ]
        let anatomy = try CertificateAnatomy(certificates[0], .leaf)
        let container = ReceiptContainer(certificatesDER: certificates, leaf: anatomy, algorithm: .sha256)
        return container.bytes(payload: receipt.payload(), signature: try signature(of: receipt))
    }
}
