/// An app receipt that was received, parsed but not verified. Call ``ReceiptVerifier/verify(_:)`` before using it.
package struct SignedReceipt: Sendable {
    /// The default maximum size of a receipt in bytes.
    package static let defaultLimit = 8 << 20
    /// The maximum number of certificates in a receipt.
    package static let maximumCertificates = 10

    /// The content of the receipt.
    package let receipt: AppReceipt
    /// The certificates as DER, in the order of the file. In a valid receipt: leaf, intermediate, root.
    package let certificatesDER: [[UInt8]]
    /// The complete file.
    let bytes: [UInt8]
    /// The signed part of the file.
    let payload: ArraySlice<UInt8>
    /// The hash algorithm; nil for an algorithm that receipts do not use.
    let algorithm: ReceiptAlgorithm?
    let signature: ArraySlice<UInt8>
    /// Whether the signature covers signed attributes instead of the payload.
    let hasSignedAttributes: Bool

    /// Parses `bytes`, in DER or BER.
    ///
    /// - Parameters:
    ///   - bytes: the receipt file, not encoded in Base64.
    ///   - limit: the maximum size in bytes.
    /// - Throws: ``ReceiptRefusal/malformed(reason:)``.
    package init(_ bytes: [UInt8], limit: Int = defaultLimit) throws(ReceiptRefusal) {
        guard bytes.count <= limit else {
            throw .malformed(reason: "has \(bytes.count) bytes; the maximum is \(limit)")
        }
        let parts: Parts
        do {
            parts = try Parts(bytes)
        } catch {
            throw .malformed(reason: error.reason)
        }
        self.bytes = bytes
        payload = parts.payload
        certificatesDER = parts.certificates
        algorithm = parts.algorithm
        signature = parts.signature
        hasSignedAttributes = parts.hasSignedAttributes
        receipt = try AppReceipt(payload: parts.payload)
    }

    /// The parts of CMS SignedData with one signer.
    private struct Parts {
        let payload: ArraySlice<UInt8>
        var certificates: [[UInt8]] = []
        let algorithm: ReceiptAlgorithm?
        let signature: ArraySlice<UInt8>
        let hasSignedAttributes: Bool

        init(_ bytes: [UInt8]) throws(BERReader.Fault) {
            var file = BERReader(bytes[...])
            var information = try file.next(DERBytes.sequence).reader
            try file.end()
            try information.skipIdentifier(ReceiptAlgorithm.signedData, "signed data")
            var content = try information.next(DERBytes.context(0)).reader
            try information.end()
            var signed = try content.next(DERBytes.sequence).reader
            try content.end()
            _ = try signed.integer()
            _ = try signed.next(DERBytes.set)

            var encapsulated = try signed.next(DERBytes.sequence).reader
            try encapsulated.skipIdentifier(ReceiptAlgorithm.data, "data")
            var wrapper = try encapsulated.next(DERBytes.context(0)).reader
            try encapsulated.end()
            payload = try wrapper.octets()
            try wrapper.end()

            if signed.nextTag == DERBytes.context(0) {
                var list = try signed.next().reader
                while !list.isAtEnd {
                    guard certificates.count < SignedReceipt.maximumCertificates else {
                        let limit = SignedReceipt.maximumCertificates
                        throw BERReader.Fault(reason: "contains more than \(limit) certificates")
                    }
                    certificates.append(Array(try list.next(DERBytes.sequence).encoded))
                }
            }
            if signed.nextTag == DERBytes.context(1) { _ = try signed.next() }
            var signers = try signed.next(DERBytes.set).reader
            try signed.end()

            var signer = try signers.next(DERBytes.sequence).reader
            try signers.end()
            _ = try signer.integer()
            _ = try signer.next()
            var digest = try signer.next(DERBytes.sequence).reader
            let identifier = try digest.next(DERBytes.objectIdentifier).encoded
            algorithm = [.sha256, .sha1].first { $0.digestIdentifier == identifier }
            hasSignedAttributes = signer.nextTag == DERBytes.context(0)
            if hasSignedAttributes { _ = try signer.next() }
            _ = try signer.next(DERBytes.sequence)
            signature = try signer.octets()
            if signer.nextTag == DERBytes.context(1) { _ = try signer.next() }
            try signer.end()
        }
    }
}

extension BERReader {
    /// Reads an OBJECT IDENTIFIER that must have a certain value.
    fileprivate mutating func skipIdentifier(_ contents: [UInt8], _ name: String) throws(Fault) {
        guard try next(DERBytes.objectIdentifier).content == contents[...] else {
            throw Fault(reason: "is not CMS \(name)")
        }
    }
}
