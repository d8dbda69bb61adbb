/// The encoded parts of a certificate.
///
/// The library X509 parses certificates, but this type keeps their exact bytes for comparisons. It also reads
/// certificates with RSA keys below 2,048 bits, which X509 rejects.
package struct CertificateAnatomy: Sendable {
    /// The signed part of the certificate.
    package let toBeSigned: ArraySlice<UInt8>
    /// The issuer's name. Together with `serialNumber` it identifies the signer in a SignerInfo.
    package let issuer: ArraySlice<UInt8>
    /// The serial number.
    package let serialNumber: ArraySlice<UInt8>
    /// The name of the owner.
    package let subject: ArraySlice<UInt8>
    /// The SubjectPublicKeyInfo.
    package let publicKey: ArraySlice<UInt8>
    /// The algorithm of the signature. A certificate contains it twice, with the same bytes.
    package let algorithm: ArraySlice<UInt8>
    /// The signature.
    package let signature: ArraySlice<UInt8>

    /// Parses a certificate of a chain.
    ///
    /// - Throws: ``SigningError`` with the part and the code `unreadable`.
    package init(_ der: [UInt8], _ part: ChainPart) throws(SigningError) {
        do {
            try self.init(der)
        } catch {
            throw SigningError(.unreadable, part, error.reason)
        }
    }

    /// Parses a certificate of version 3.
    package init(_ der: [UInt8]) throws(BERReader.Fault) {
        var file = BERReader(der[...])
        var certificate = try file.next(DERBytes.sequence).reader
        try file.end()
        let toBeSigned = try certificate.next(DERBytes.sequence)
        algorithm = try certificate.next(DERBytes.sequence).encoded
        let bits = try certificate.next(DERBytes.bitString).content
        try certificate.end()
        // The first octet of a BIT STRING is the number of unused bits at the end.
        guard bits.first == 0 else { throw BERReader.Fault(reason: "has a signature with unused bits") }
        signature = bits.dropFirst()
        self.toBeSigned = toBeSigned.encoded
        var parts = toBeSigned.reader
        _ = try parts.next(DERBytes.context(0))
        serialNumber = try parts.next(DERBytes.integer).encoded
        let inner = try parts.next(DERBytes.sequence).encoded
        issuer = try parts.next(DERBytes.sequence).encoded
        _ = try parts.next(DERBytes.sequence)
        subject = try parts.next(DERBytes.sequence).encoded
        publicKey = try parts.next(DERBytes.sequence).encoded
        guard inner == algorithm else { throw BERReader.Fault(reason: "has two different signature algorithms") }
    }
}
