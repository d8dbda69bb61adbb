/// The file around a payload: CMS SignedData in the layout that the store uses.
///
/// One hash algorithm with NULL; the certificates in the order leaf, intermediate, root; one signer without signed
/// attributes; rsaEncryption with NULL. For one chain everything is constant except payload, signature and lengths. See
/// docs/api/receipts/app-receipts.md.
struct ReceiptContainer: Sendable {
    /// The bytes before the payload, from the version to the content type.
    private let algorithms: [UInt8]
    /// The certificates, with their tag.
    private let certificates: [UInt8]
    /// SignerInfo without its header, up to the signature.
    private let signer: [UInt8]

    /// Prepares the constant parts.
    ///
    /// - Parameters:
    ///   - certificatesDER: leaf, intermediate, root.
    ///   - leaf: the first of them.
    init(certificatesDER: [[UInt8]], leaf: CertificateAnatomy, algorithm: ReceiptAlgorithm) {
        let version: [UInt8] = [DERBytes.integer, 1, 1]
        algorithms = version + DERBytes.element(DERBytes.set, algorithm.digest)
        certificates = DERBytes.element(DERBytes.context(0), Array(certificatesDER.joined()))
        let identifier = DERBytes.element(DERBytes.sequence, Array(leaf.issuer), Array(leaf.serialNumber))
        signer = version + identifier + algorithm.digest + ReceiptAlgorithm.rsaEncryption
    }

    /// The complete file.
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
