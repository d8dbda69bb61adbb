/// The encoded parts of a certificate.
///
/// X509 reads what a certificate means. This reads its exact bytes, for comparisons octet by octet and for keys below
/// 2,048 bits, which X509 does not accept.
struct CertificateAnatomy {
    /// The signed part.
    let toBeSigned: ArraySlice<UInt8>
    /// The elements of SignerInfo's sid: issuer and serialNumber.
    let issuer: ArraySlice<UInt8>
    let serialNumber: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>
    /// SubjectPublicKeyInfo.
    let publicKey: ArraySlice<UInt8>
    /// The algorithm of the signature, which occurs twice with the same bytes.
    let algorithm: ArraySlice<UInt8>
    /// The signature in whole bytes.
    let signature: ArraySlice<UInt8>

    /// Parses a certificate of version 3.
    init(_ der: [UInt8]) throws(BERReader.Fault) {
        var file = BERReader(der[...])
        var certificate = try file.next(DERBytes.sequence).reader
        try file.end()
        let toBeSigned = try certificate.next(DERBytes.sequence)
        algorithm = try certificate.next(DERBytes.sequence).encoded
        let bits = try certificate.next(DERBytes.bitString).content
        try certificate.end()
        // The first octet is the number of unused bits at the end.
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
        guard inner == algorithm else { throw BERReader.Fault(reason: "names two algorithms for one signature") }
    }
}
