import X509

extension Certificate.PublicKey {
    /// The size of an RSA key in bits; nil for a key of another kind.
    ///
    /// swift-crypto has RSA in an additional product, whose name differs between its versions 3 and 4. The size can be
    /// read without it.
    var rsaBits: Int? {
        var file = BERReader(subjectPublicKeyInfoBytes)
        guard var key = try? file.next(DERBytes.sequence).reader, (try? file.end()) != nil,
            let modulus = try? key.next(DERBytes.integer).content,
            (try? key.next(DERBytes.integer)) != nil, (try? key.end()) != nil
        else { return nil }
        let digits = modulus.drop { $0 == 0 }
        return digits.first.map { digits.count * 8 - $0.leadingZeroBitCount }
    }
}
