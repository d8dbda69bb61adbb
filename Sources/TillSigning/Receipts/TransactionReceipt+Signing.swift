import Crypto
import CryptoExtras
import Foundation

/// The value of `signature` in the receipt of a transaction: a version, an RSA-1024 signature and a certificate.
///
/// The signature covers the version's octet and the purchase info, and uses PKCS#1 v1.5 with SHA-1. This is insecure,
/// but the format allows nothing else.
private struct PurchaseSeal {
    static let version: UInt8 = 2
    static let signatureCount = RSAKeys.purchaseKeySize / 8

    let signature: ArraySlice<UInt8>
    let certificateDER: [UInt8]

    init(signature: [UInt8], certificateDER: [UInt8]) {
        self.signature = signature[...]
        self.certificateDER = certificateDER
    }

    init(_ bytes: [UInt8]) throws(ReceiptRefusal) {
        let head = 1 + Self.signatureCount + 4
        guard bytes.count > head, bytes[0] == Self.version else {
            throw .malformed(reason: "has a signature whose version is not 2")
        }
        let count = bytes[head - 4..<head].reduce(0) { $0 << 8 | Int($1) }
        guard count == bytes.count - head else {
            throw .malformed(reason: "has a certificate of \(bytes.count - head) bytes, but states \(count) bytes")
        }
        signature = bytes[1..<1 + Self.signatureCount]
        certificateDER = Array(bytes[head...])
    }

    var bytes: [UInt8] {
        let count = certificateDER.count
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        return [Self.version] + signature + length + certificateDER
    }

    static func digest(of purchaseInfo: [UInt8]) -> Insecure.SHA1.Digest {
        var hash = Insecure.SHA1()
        hash.update(data: [version])
        hash.update(data: purchaseInfo)
        return hash.finalize()
    }

    static func text(_ seal: [UInt8], _ purchaseInfo: [UInt8], _ environment: TransactionReceipt.Environment) -> String
    {
        var pairs = [("signature", Base64.encode(seal)), ("purchase-info", Base64.encode(purchaseInfo))]
        if environment == .sandbox { pairs.append(("environment", environment.rawValue)) }
        return PropertyListText.write(pairs + [("pod", "100"), ("signing-status", "0")])
    }
}

extension ReceiptChain {
    /// Signs the receipt of one transaction and returns the text that an app reads on the device. Clients encode this
    /// text in Base64 for verifyReceipt.
    ///
    /// - Throws: ``SigningError`` if the library cannot sign.
    package func mint(_ receipt: TransactionReceipt) throws(SigningError) -> String {
        try mint(receipt) { _, _ in }
    }

    /// Signs the receipt of one transaction, but lets the caller change the signature and the purchase info afterwards,
    /// for receipts that verifiers must reject.
    func mint(
        _ receipt: TransactionReceipt,
        tampering tamper: (_ signature: inout [UInt8], _ purchaseInfo: inout [UInt8]) -> Void
    ) throws(SigningError) -> String {
        var purchaseInfo = Array(receipt.purchaseInfo().utf8)
        let digest = PurchaseSeal.digest(of: purchaseInfo)
        var signature = try SigningError.wrapping(.cryptography, .purchaseKey, "could not sign") {
            Array(try purchasePrivateKey.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        }
        tamper(&signature, &purchaseInfo)
        let seal = PurchaseSeal(signature: signature, certificateDER: purchaseCertificateDER)
        return PurchaseSeal.text(seal.bytes, purchaseInfo, receipt.environment)
    }
}

extension ReceiptVerifier {
    /// The maximum size of the receipt of one transaction, in bytes.
    package static let transactionLimit = 64 << 10

    /// Parses and verifies the receipt of one transaction, with the trusted certificates for such receipts.
    ///
    /// The outer property list must have exactly the layout of ``ReceiptChain/mint(_:)-(TransactionReceipt)``. The
    /// environment in it is not signed, so the caller must check that the transaction exists in that environment.
    ///
    /// - Throws: ``ReceiptRefusal``; `malformed` takes precedence over `notAuthenticated`.
    package func parseTransaction(_ bytes: [UInt8]) throws(ReceiptRefusal) -> TransactionReceipt {
        guard bytes.count <= Self.transactionLimit else {
            throw .malformed(reason: "has \(bytes.count) bytes; the maximum is \(Self.transactionLimit)")
        }
        let outer = try PropertyListText.read(bytes)
        func decoded(_ name: String) throws(ReceiptRefusal) -> [UInt8] {
            guard let text = outer[name], let bytes = Base64.decode(text) else {
                throw .malformed(reason: "has no valid Base64 for \(name)")
            }
            return bytes
        }
        let purchaseInfo = try decoded("purchase-info")
        let sealBytes = try decoded("signature")
        let seal = try PurchaseSeal(sealBytes)
        let name = outer["environment"] ?? TransactionReceipt.Environment.production.rawValue
        guard let environment = TransactionReceipt.Environment(rawValue: name) else {
            throw .malformed(reason: "has an unknown environment")
        }
        let receipt = try TransactionReceipt(purchaseInfo: purchaseInfo, environment: environment)
        guard purchaseCertificates.contains(seal.certificateDER) else {
            throw .notAuthenticated(reason: "has a certificate that is not trusted")
        }
        guard let key = purchaseKey(seal.certificateDER) else {
            throw .notAuthenticated(reason: "has a certificate without an RSA key")
        }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: seal.signature)
        let digest = PurchaseSeal.digest(of: purchaseInfo)
        guard key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
            throw .notAuthenticated(reason: "was changed after it was signed, or was signed with another key")
        }
        guard Array(PurchaseSeal.text(sealBytes, purchaseInfo, environment).utf8) == bytes else {
            throw .notAuthenticated(reason: "is not encoded like App Store receipts")
        }
        return receipt
    }

    private func purchaseKey(_ der: [UInt8]) -> _RSA.Signing.PublicKey? {
        guard let anatomy = try? CertificateAnatomy(der) else { return nil }
        return try? _RSA.Signing.PublicKey(unsafeDERRepresentation: anatomy.publicKey)
    }
}
