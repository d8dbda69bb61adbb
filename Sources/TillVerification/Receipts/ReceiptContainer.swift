/// Encodes the file of a receipt: CMS SignedData in the layout that the App Store uses.
///
/// The file has one hash algorithm with NULL parameters, and the certificates in the order leaf, intermediate, root. It
/// has one signer without signed attributes, and the algorithm rsaEncryption with NULL parameters. For one chain,
/// everything except the payload, the signature and the lengths is constant. See docs/api/receipts/app-receipts.md.
package struct ReceiptContainer: Sendable {
    /// The version and the hash algorithm, which precede the payload.
    private let algorithms: [UInt8]
    /// The encoded certificates, with their tag.
    private let certificates: [UInt8]
    /// The content of SignerInfo before the signature.
    private let signer: [UInt8]

    /// Encodes the constant parts.
    ///
    /// - Parameters:
    ///   - certificatesDER: the leaf, intermediate and root certificates.
    ///   - leaf: the parts of the leaf certificate.
    package init(certificatesDER: [[UInt8]], leaf: CertificateAnatomy, algorithm: ReceiptAlgorithm) {
        let version: [UInt8] = [DERBytes.integer, 1, 1]
        algorithms = version + DERBytes.element(DERBytes.set, algorithm.digest)
        certificates = DERBytes.element(DERBytes.context(0), Array(certificatesDER.joined()))
        let identifier = DERBytes.element(DERBytes.sequence, Array(leaf.issuer), Array(leaf.serialNumber))
        signer = version + identifier + algorithm.digest + ReceiptAlgorithm.rsaEncryption
    }

    /// Encodes the complete file.
    package func bytes(payload: some Collection<UInt8>, signature: some Collection<UInt8>) -> [UInt8] {
        func content(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
            let identifier = DERBytes.element(DERBytes.objectIdentifier, type)
            return DERBytes.element(DERBytes.sequence, identifier, DERBytes.element(DERBytes.context(0), value))
        }
        let octets = DERBytes.element(DERBytes.octetString, Array(payload))
        let seal = DERBytes.element(DERBytes.octetString, Array(signature))
        let signers = DERBytes.element(DERBytes.set, DERBytes.element(DERBytes.sequence, signer, seal))
        let data = content(ReceiptAlgorithm.data, octets)
        let signed = DERBytes.element(DERBytes.sequence, algorithms, data, certificates, signers)
        return content(ReceiptAlgorithm.signedData, signed)
    }
}
