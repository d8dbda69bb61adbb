import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Testing
import X509

@testable import TillSigning

@Suite("The certificate chain of receipts")
struct ReceiptChainTests {
    private func text(of der: [UInt8]) throws -> String {
        try OpenSSL.inFolder { folder in
            let path = try folder.file("certificate.pem", CertificateText.pem(of: der))
            return try OpenSSL.run(["x509", "-in", path, "-noout", "-text"]).text
        }
    }

    @Test("OpenSSL reads the certificates as verifiers need them, and Apple's name does not occur")
    func profile() throws {
        let chain = try ReceiptSample.chain()
        let texts = try (chain.certificatesDER + [chain.purchaseCertificateDER]).map(text)
        for text in texts {
            #expect(text.contains("Signature Algorithm: sha256WithRSAEncryption"))
            #expect(text.contains("Not Before: Jan  1 00:00:00 2008 GMT"))
            #expect(text.contains("Not After : Jan  1 00:00:00 2100 GMT"))
            #expect(text.contains("X509v3 Basic Constraints: critical"))
            #expect(text.contains("X509v3 Key Usage: critical"))
            #expect(text.contains("X509v3 Subject Key Identifier"))
            #expect(text.contains("O = Till"))
            #expect(!text.contains("Apple") && !text.contains("Extended Key Usage") && !text.contains("OCSP"))
        }
        for text in texts.prefix(3) { #expect(text.contains("Public-Key: (2048 bit)")) }
        #expect(texts[3].contains("Public-Key: (1024 bit)"))
        #expect(texts[0].contains("CA:FALSE") && texts[0].contains("Digital Signature"))
        #expect(texts[0].contains("1.2.840.113635.100.6.11.1: \n"), "the marker is there and not critical")
        #expect(texts[1].contains("CA:TRUE, pathlen:0") && texts[1].contains("Certificate Sign, CRL Sign"))
        #expect(texts[1].contains("1.2.840.113635.100.6.2.1: \n"), "the marker is there and not critical")
        #expect(texts[2].contains("CA:TRUE\n"))
        #expect(!texts[3].contains("1.2.840.113635"))
        for index in [0, 1, 3] { #expect(texts[index].contains("X509v3 Authority Key Identifier")) }
        let leaf = try Certificate(derEncoded: chain.certificatesDER[0])
        #expect(leaf.extensions[oid: CertificateMarker.leaf]?.value == [5, 0])
        let intermediate = try Certificate(derEncoded: chain.certificatesDER[1])
        #expect(intermediate.extensions[oid: CertificateMarker.intermediate]?.value == [5, 0])
        #expect(chain.certificatesDER[2] == (try ReceiptSample.root().certificateDER))
    }

    @Test(
        "OpenSSL accepts the chain in its strictest mode, in 2008 and in 2099",
        arguments: [1_199_145_660, 4_102_444_000]
    )
    func openSSL(seconds: Int) throws {
        let parts = try ReceiptSample.chain().certificatesDER.map(CertificateText.pem)
        let answer = try OpenSSL.inFolder { folder in
            try OpenSSL.run([
                "verify", "-x509_strict", "-check_ss_sig", "-no-CApath", "-no-CAstore", "-attime", "\(seconds)",
                "-CAfile", folder.file("root.pem", parts[2]), "-untrusted", folder.file("intermediate.pem", parts[1]),
                folder.file("leaf.pem", parts[0]),
            ])
        }
        #expect(answer.status == 0, "\(answer.text)")
    }

    @Test("The root and the chain are written as PEM, read back, and then sign the same bytes")
    func roundTrip() throws {
        let root = try ReceiptSample.root()
        let again = try ReceiptAuthority(certificatePEM: root.certificatePEM, privateKeyPEM: root.privateKeyPEM)
        #expect(again.certificateDER == root.certificateDER && again.fingerprint == root.fingerprint)
        let chain = try ReceiptSample.chain()
        let read = try ReceiptChain(
            certificatesPEM: chain.certificatesPEM,
            leafPrivateKeyPEM: chain.leafPrivateKeyPEM,
            purchaseCertificatePEM: chain.purchaseCertificatePEM,
            purchasePrivateKeyPEM: chain.purchasePrivateKeyPEM
        )
        #expect(read.id == chain.id && chain.id.count == 16)
        #expect(read.certificatesDER == chain.certificatesDER)
        #expect(read.purchaseCertificateDER == chain.purchaseCertificateDER)
        #expect(chain.rootFingerprint == root.fingerprint && chain.rootCertificatePEM == root.certificatePEM)
        #expect(try read.mint(ReceiptSample.receipt) == chain.mint(ReceiptSample.receipt))
        for (pem, header) in [
            (root.privateKeyPEM, "-----BEGIN PRIVATE KEY-----\n"),
            (chain.leafPrivateKeyPEM, "-----BEGIN PRIVATE KEY-----\n"),
        ] {
            #expect(pem.exposed.hasPrefix(header) && "\(pem)" == "redacted")
        }
    }

    @Test("The chain is valid between 2008 and 2100; outside that time, the error names the certificate")
    func problems() throws {
        let chain = try ReceiptSample.chain()
        #expect(chain.problems(at: 1_199_145_600_000).isEmpty && chain.problems(at: 4_102_444_800_000).isEmpty)
        #expect(Set(chain.problems(at: 1_199_145_599_000).map(\.part)) == [.leaf, .intermediate, .root])
        #expect(chain.problems(at: 4_102_444_801_000).count == 3)
    }

    @Test("Parts that do not belong together are rejected, and the error names the part")
    func mixedUp() throws {
        let chain = try ReceiptSample.chain()
        let other = try ReceiptChain.issue(under: ReceiptSample.root())
        #expect(other.id != chain.id)
        let otherChain = try ReceiptChain.issue(under: ReceiptAuthority.make())
        func refusal(
            _ certificates: String,
            _ key: Secret,
            _ purchase: String,
            _ purchaseKey: Secret
        ) -> SigningError? {
            do throws(SigningError) {
                _ = try ReceiptChain(
                    certificatesPEM: certificates,
                    leafPrivateKeyPEM: key,
                    purchaseCertificatePEM: purchase,
                    purchasePrivateKeyPEM: purchaseKey
                )
                return nil
            } catch {
                return error
            }
        }
        let whole = (
            chain.certificatesPEM, chain.leafPrivateKeyPEM, chain.purchaseCertificatePEM, chain.purchasePrivateKeyPEM
        )
        func blocks(_ ders: [[UInt8]]) -> String { ders.map(CertificateText.pem).joined() }
        let ders = chain.certificatesDER
        let cases: [(SigningError?, SigningError.Code, ChainPart)] = [
            (refusal(whole.0, other.leafPrivateKeyPEM, whole.2, whole.3), .mismatchedKey, .leafKey),
            (refusal(whole.0, whole.1, whole.2, other.purchasePrivateKeyPEM), .mismatchedKey, .purchaseKey),
            (refusal(whole.0, whole.1, whole.2, whole.1), .unreadable, .purchaseKey),
            (refusal(whole.0, whole.3, whole.2, whole.3), .unreadable, .leafKey),
            (
                refusal(whole.0, whole.1, other.purchaseCertificatePEM, other.purchasePrivateKeyPEM), .brokenChain,
                .purchase
            ),
            (refusal(whole.0, whole.1, whole.2 + whole.2, whole.3), .unreadable, .purchase),
            (refusal(blocks(Array(ders.prefix(2))), whole.1, whole.2, whole.3), .unreadable, .leaf),
            (refusal("none", whole.1, whole.2, whole.3), .unreadable, .leaf),
            (
                refusal(blocks([ders[0], other.certificatesDER[1], ders[2]]), whole.1, whole.2, whole.3),
                .brokenChain, .leaf
            ),
            (
                refusal(blocks([ders[0], ders[1], otherChain.certificatesDER[2]]), whole.1, whole.2, whole.3),
                .brokenChain, .intermediate
            ),
        ]
        for (index, (error, code, part)) in cases.enumerated() {
            #expect(error?.code == code && error?.part == part, "case \(index): \(error.map(\.description) ?? "none")")
        }
    }
}
