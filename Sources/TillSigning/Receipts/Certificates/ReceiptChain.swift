import Crypto
import CryptoExtras
import SwiftASN1
import X509

/// The certificates and keys that sign receipts. The leaf signs app receipts; another certificate under the same
/// intermediate signs receipts of single transactions.
///
/// Creating a chain takes some tenths of a second, because it generates RSA keys. See
/// docs/api/receipts/app-receipts.md.
package struct ReceiptChain: CertificateChain, CustomStringConvertible {
    private let inspection: ReceiptChainInspection
    let leafPrivateKey: _RSA.Signing.PrivateKey
    let container: ReceiptContainer
    let purchasePrivateKey: _RSA.Signing.PrivateKey

    package let certificatesDER: [[UInt8]]
    /// The certificate of the key that signs receipts of single transactions, as DER. The intermediate issued it. Such
    /// a receipt contains only this certificate, so a verifier must know it in advance.
    package let purchaseCertificateDER: [UInt8]
    package let id: String

    /// Issues a new intermediate, a new leaf and a new certificate for receipts of single transactions, with new keys.
    /// The intermediate's key is then discarded.
    package static func issue(under root: ReceiptAuthority) throws(SigningError) -> ReceiptChain {
        let intermediateKey = try RSAKeys.make(.intermediateKey)
        let leafKey = try RSAKeys.make(.leafKey)
        let purchaseKey = try RSAKeys.makeForPurchases()
        let intermediate = try CertificateProfile.intermediate(
            name: CertificateProfile.receiptIntermediateName,
            key: intermediateKey,
            under: root.issuer
        )
        func leaf(_ part: ChainPart, _ name: String, _ key: _RSA.Signing.PrivateKey) throws(SigningError) -> [UInt8] {
            let certificate = try CertificateProfile.leaf(
                part,
                name: name,
                key: key,
                under: .init(certificate: intermediate, key: intermediateKey),
                isMarked: part == .leaf
            )
            return try CertificateText.der(of: certificate, part)
        }
        return try ReceiptChain(
            [
                try leaf(.leaf, CertificateProfile.receiptLeafName, leafKey),
                try CertificateText.der(of: intermediate, .intermediate),
                root.certificateDER,
            ],
            leafKey,
            try leaf(.purchase, CertificateProfile.purchaseName, purchaseKey),
            purchaseKey
        )
    }

    /// Reads a chain from the text of ``certificatesPEM``, ``leafPrivateKeyPEM``, ``purchaseCertificatePEM`` and
    /// ``purchasePrivateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the wrong part and the code `unreadable`, `mismatchedKey`, or `brokenChain` if
    ///   the certificates do not form a chain or lack something that verifiers require.
    package init(
        certificatesPEM: String,
        leafPrivateKeyPEM: Secret,
        purchaseCertificatePEM: String,
        purchasePrivateKeyPEM: Secret
    ) throws(SigningError) {
        let document = try CertificateText.document(purchaseCertificatePEM, .purchase)
        try self.init(
            try CertificateText.documents(certificatesPEM, .leaf).map(\.derBytes),
            try _RSA.Signing.PrivateKey(pem: leafPrivateKeyPEM, .leafKey),
            document.derBytes,
            try RSAKeys.keyForPurchases(purchasePrivateKeyPEM)
        )
    }

    private init(
        _ certificates: [[UInt8]],
        _ leafKey: _RSA.Signing.PrivateKey,
        _ purchaseCertificate: [UInt8],
        _ purchaseKey: _RSA.Signing.PrivateKey
    ) throws(SigningError) {
        inspection = try ReceiptChainInspection(certificatesDER: certificates)
        certificatesDER = certificates
        purchaseCertificateDER = purchaseCertificate
        leafPrivateKey = leafKey
        purchasePrivateKey = purchaseKey
        id = Self.id(ofLeaf: certificates[0])
        container = ReceiptContainer(
            certificatesDER: certificates,
            leaf: inspection.anatomies[0],
            algorithm: .sha256
        )
        guard inspection.leaf.publicKey == Certificate.PublicKey(leafKey.publicKey) else {
            throw SigningError(.mismatchedKey, .leafKey, "does not match the leaf certificate")
        }
        let problems = ChainInspection.problems(ofRoot: inspection.root) + inspection.problems(accepting: [.sha256])
        if let problem = problems.first {
            throw SigningError(.brokenChain, problem.part, problem.reason)
        }
        try checkPurchaseCertificate()
    }

    /// Checks the certificate for receipts of single transactions. It is checked part by part, because the library X509
    /// rejects keys of 1,024 bits.
    private func checkPurchaseCertificate() throws(SigningError) {
        let anatomy = try CertificateAnatomy(purchaseCertificateDER, .purchase)
        let key = try SigningError.wrapping(.unreadable, .purchase, "has no RSA key") {
            try _RSA.Signing.PublicKey(unsafeDERRepresentation: anatomy.publicKey)
        }
        guard key.derRepresentation == purchasePrivateKey.publicKey.derRepresentation else {
            throw SigningError(.mismatchedKey, .purchaseKey, "does not match the purchase receipt certificate")
        }
        let issuer = _RSA.Signing.PublicKey(inspection.intermediate.publicKey)
        let isSigned = issuer?.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: anatomy.signature),
            for: SHA256.hash(data: anatomy.toBeSigned),
            padding: .insecurePKCS1v1_5
        )
        guard isSigned == true, anatomy.issuer == inspection.anatomies[1].subject else {
            throw SigningError(.brokenChain, .purchase, "is not signed by the intermediate certificate")
        }
    }

    /// The leaf's private key as PEM (PKCS#8).
    package var leafPrivateKeyPEM: Secret { leafPrivateKey.pem }
    /// The certificate for receipts of single transactions, as one PEM block.
    package var purchaseCertificatePEM: String { CertificateText.pem(of: purchaseCertificateDER) }
    /// The private key for receipts of single transactions as PEM (PKCS#8).
    package var purchasePrivateKeyPEM: Secret { purchasePrivateKey.pem }

    package var description: String { "receipt chain \(id)" }

    /// All problems of the chain for a receipt that is created at `instant` (milliseconds since 1970). The result is
    /// empty if a verifier that trusts the root accepts the chain.
    package func problems(at instant: Int64) -> [ChainProblem] {
        inspection.problems(accepting: [.sha256]) + inspection.problems(at: instant)
    }

    /// Signs a receipt and returns the complete receipt file of a device.
    ///
    /// - Throws: ``SigningError`` if the library cannot sign.
    package func mint(_ receipt: AppReceipt) throws(SigningError) -> [UInt8] {
        try sign(payload: receipt.payload())
    }

    /// Signs a payload without changing it.
    func sign(payload: [UInt8]) throws(SigningError) -> [UInt8] {
        container.bytes(payload: payload, signature: try signature(of: payload))
    }

    /// The leaf's signature of a payload.
    func signature(of payload: [UInt8]) throws(SigningError) -> [UInt8] {
        try SigningError.wrapping(.cryptography, .leafKey, "could not sign") {
            let digest = SHA256.hash(data: payload)
            return Array(try leafPrivateKey.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }
}
