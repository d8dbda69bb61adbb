/// Encodes the file of a receipt: CMS SignedData in the layout that the App Store uses.
///
/// The file has one hash algorithm with NULL parameters, and the certificates in the order leaf, intermediate, root. It
/// has one signer without signed attributes, and the algorithm rsaEncryption with NULL parameters. For one chain,
/// everything except the payload, the signature and the lengths is constant. See docs/api/receipts/app-receipts.md.
struct ReceiptContainer: Sendable {
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
    init(certificatesDER: [[UInt8]], leaf: CertificateAnatomy, algorithm: ReceiptAlgorithm) {
        let version: [UInt8] = [DERBytes.integer, 1, 1]
        algorithms = version + DERBytes.element(DERBytes.set, algorithm.digest)
        certificates = DERBytes.element(DERBytes.context(0), Array(certificatesDER.joined()))
        let identifier = DERBytes.element(DERBytes.sequence, Array(leaf.issuer), Array(leaf.serialNumber))
        signer = version + identifier + algorithm.digest + ReceiptAlgorithm.rsaEncryption
    }

    /// Encodes the complete file.
    func bytes(payload: some Collection<UInt8>, signature: some Collection<UInt8>) -> [UInt8] {
        let octets = DERBytes.count(of: payload.count)
        let dataType = DERBytes.count(of: ReceiptAlgorithm.data.count)
        let contents = dataType + DERBytes.count(of: octets)
        let information = signer.count + DERBytes.count(of: signature.count)
        let signers = DERBytes.count(of: information)
        let signed =
            algorithms.count + DERBytes.count(of: contents) + certificates.count + DERBytes.count(of: signers)
        let whole =
            DERBytes.count(of: ReceiptAlgorithm.signedData.count)
            + DERBytes.count(of: DERBytes.count(of: signed))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DERBytes.count(of: whole))
        func header(_ tag: UInt8, _ length: Int) { DERBytes.appendHeader(tag, length, to: &bytes) }
        header(DERBytes.sequence, whole)
        header(DERBytes.objectIdentifier, ReceiptAlgorithm.signedData.count)
        bytes += ReceiptAlgorithm.signedData
        header(DERBytes.context(0), DERBytes.count(of: signed))
        header(DERBytes.sequence, signed)
        bytes += algorithms
        header(DERBytes.sequence, contents)
        header(DERBytes.objectIdentifier, ReceiptAlgorithm.data.count)
        bytes += ReceiptAlgorithm.data
        header(DERBytes.context(0), octets)
        header(DERBytes.octetString, payload.count)
        bytes += payload
        bytes += certificates
        header(DERBytes.set, signers)
        header(DERBytes.sequence, information)
        bytes += signer
        header(DERBytes.octetString, signature.count)
        bytes += signature
        return bytes
    }
}
