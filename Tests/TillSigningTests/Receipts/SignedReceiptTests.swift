import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Testing
import X509

@testable import TillSigning
@testable import TillVerification

@Suite("Signed receipts")
struct SignedReceiptTests {
    @Test("The PKCS#7 container has the App Store's layout, byte by byte")
    func layout() throws {
        let chain = try ReceiptSample.chain()
        let bytes = try chain.mint(ReceiptSample.receipt)
        var file = BERReader(bytes[...])
        var information = try file.next(0x30).reader
        try file.end()
        #expect(Array(try information.next(0x06).content) == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2])
        var wrapper = try information.next(0xA0).reader
        try information.end()
        var signed = try wrapper.next(0x30).reader
        #expect(try signed.integer() == 1)
        let digest: [UInt8] = [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0]
        #expect(Array(try signed.next(0x31).content) == digest)
        var encapsulated = try signed.next(0x30).reader
        #expect(Array(try encapsulated.next(0x06).content) == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1])
        var content = try encapsulated.next(0xA0).reader
        #expect(Array(try content.next(0x04).content) == ReceiptSample.receipt.payload())
        #expect(Array(try signed.next(0xA0).content) == Array(chain.certificatesDER.joined()))
        var signers = try signed.next(0x31).reader
        try signed.end()
        var signer = try signers.next(0x30).reader
        try signers.end()
        #expect(try signer.integer() == 1)
        let leaf = try Certificate(derEncoded: chain.certificatesDER[0])
        var issuer = SwiftASN1.DER.Serializer()
        try issuer.serialize(leaf.issuer)
        let number = Array(leaf.serialNumber.bytes)
        let serial = DERBytes.element(0x02, (number.first ?? 0) < 0x80 ? number : [0] + number)
        #expect(Array(try signer.next(0x30).content) == issuer.serializedBytes + serial)
        #expect(Array(try signer.next(0x30).encoded) == digest)
        let rsa: [UInt8] = [0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]
        #expect(Array(try signer.next(0x30).encoded) == rsa)
        #expect(try signer.next(0x04).content.count == 256)
        try signer.end()
    }

    @Test("OpenSSL verifies the receipt at its date and returns the payload", arguments: [0, 3, 300])
    func openSSL(purchases: Int) throws {
        let chain = try ReceiptSample.chain()
        var receipt = ReceiptSample.receipt(purchases: purchases)
        receipt.creationDate = 4_000_000_000_000
        let bytes = try chain.mint(receipt)
        try OpenSSL.inFolder { folder in
            let file = folder.appendingPathComponent("receipt.der")
            try Data(bytes).write(to: file)
            let root = try folder.file("root.pem", chain.rootCertificatePEM)
            let output = folder.appendingPathComponent("payload.der")
            for command in ["cms", "smime"] {
                let answer = try OpenSSL.run([
                    command, "-verify", "-inform", "DER", "-in", file.path, "-CAfile", root, "-purpose", "any",
                    "-attime", "4000000000", "-out", output.path,
                ])
                #expect(answer.status == 0, "\(answer.text)")
                #expect(try Data(contentsOf: output) == Data(receipt.payload()))
            }
        }
    }

    @Test("A receipt is read back and verified, also with additional roots")
    func verifies() throws {
        let bytes = try ReceiptSample.chain().mint(ReceiptSample.receipt)
        let verifier = try ReceiptSample.verifier()
        for _ in 0..<2 {
            let receipt = try verifier.parse(bytes)
            #expect(receipt.bundleID == "com.example.app" && receipt.inApp.count == 3)
            #expect(receipt.payload() == ReceiptSample.receipt.payload())
        }
        let other = try ReceiptAuthority.make()
        let both = ReceiptVerifier(rootsDER: [other.certificateDER, try ReceiptSample.root().certificateDER])
        _ = try both.parse(bytes)
        let wrong = ReceiptVerifier(rootsDER: [other.certificateDER])
        let refusal = ReceiptRefusal.notAuthenticated(reason: "has a root certificate that is not trusted")
        #expect(throws: refusal) { try wrong.parse(bytes) }
        #expect(throws: refusal) { try ReceiptVerifier(rootsDER: []).parse(bytes) }
    }

    @Test("A receipt with a date outside its certificates' validity is rejected")
    func validity() throws {
        let verifier = try ReceiptSample.verifier()
        for (date, isValid) in [
            (1_199_145_599_000, false), (1_199_145_600_000, true), (4_102_444_800_000, true),
            (4_102_444_801_000, false),
        ] as [(Int64, Bool)] {
            var receipt = ReceiptSample.receipt
            receipt.creationDate = date
            let bytes = try ReceiptSample.chain().mint(receipt)
            if isValid {
                #expect(try verifier.parse(bytes).creationDate == date)
            } else {
                #expect(throws: ReceiptRefusal.self) { try verifier.parse(bytes) }
            }
        }
    }

    @Test("A receipt with missing, duplicate, swapped or foreign certificates is rejected")
    func certificates() throws {
        let chain = try ReceiptSample.chain()
        let other = try ReceiptChain.issue(under: ReceiptSample.root())
        let verifier = try ReceiptSample.verifier()
        let payload = ReceiptSample.receipt.payload()
        let own = chain.certificatesDER
        let signature = Array(try SignedReceipt(chain.mint(ReceiptSample.receipt)).signature)
        let lists: [[[UInt8]]] = [
            [], [own[0]], Array(own.prefix(2)), own + [own[2]], [own[0], own[0], own[1], own[2]],
            [own[1], own[0], own[2]], own.reversed(), [own[0], other.certificatesDER[1], own[2]], other.certificatesDER,
            [own[0], own[1], other.certificatesDER[1]], [own[0], own[2], own[2]], [own[1], own[2], own[2]],
        ]
        for list in lists {
            let leaf = try CertificateAnatomy(own[0])
            let container = ReceiptContainer(certificatesDER: list, leaf: leaf, algorithm: .sha256)
            let bytes = container.bytes(payload: payload, signature: signature)
            let refusal = #expect(throws: ReceiptRefusal.self) { try verifier.parse(bytes) }
            guard case .notAuthenticated = refusal else {
                Issue.record("\(list.count) certificates: \(refusal.debugDescription)")
                continue
            }
        }
        let many = ReceiptContainer(
            certificatesDER: Array(repeating: own[0], count: 11),
            leaf: try CertificateAnatomy(own[0]),
            algorithm: .sha256
        )
        let refusal = ReceiptRefusal.malformed(reason: "contains more than 10 certificates")
        #expect(throws: refusal) { try verifier.parse(many.bytes(payload: payload, signature: signature)) }
    }

    @Test("A SHA-1 receipt is rejected unless SHA-1 is allowed, and still needs valid certificates")
    func sha1() throws {
        let chain = try ReceiptSample.chain()
        let signed = try SignedReceipt(chain.mint(ReceiptSample.receipt))
        let leaf = try CertificateAnatomy(chain.certificatesDER[0])
        let container = ReceiptContainer(certificatesDER: chain.certificatesDER, leaf: leaf, algorithm: .sha1)
        let bytes = container.bytes(payload: signed.payload, signature: signed.signature)
        #expect(try SignedReceipt(bytes).algorithm == .sha1)
        #expect(throws: ReceiptRefusal.notAuthenticated(reason: "is hashed with another algorithm than SHA-256")) {
            try ReceiptSample.verifier().parse(bytes)
        }
        let changed = "was changed after it was signed, or was signed with another key"
        #expect(throws: ReceiptRefusal.notAuthenticated(reason: changed)) {
            try ReceiptSample.verifier(acceptsSHA1: true).parse(bytes)
        }
        let digest = Insecure.SHA1.hash(data: signed.payload)
        let signature = try chain.leafPrivateKey.signature(for: digest, padding: .insecurePKCS1v1_5)
        let sound = container.bytes(payload: signed.payload, signature: Array(signature.rawRepresentation))
        _ = try ReceiptSample.verifier(acceptsSHA1: true).parse(sound)
        _ = try ReceiptSample.verifier(acceptsSHA1: true).parse(signed.bytes)
    }

    @Test("A receipt of Xcode is read, but its verification fails")
    func indefinite() throws {
        let chain = try ReceiptSample.chain()
        let signed = try SignedReceipt(chain.mint(ReceiptSample.receipt))
        let digest = ReceiptAlgorithm.sha256.digest
        let pieces = DERBytes.element(0x04, Array(signed.payload))
        let data: [UInt8] = [6, 9] + ReceiptAlgorithm.data + [0xA0, 0x80, 0x24, 0x80] + pieces + [0, 0, 0, 0]
        let leaf = try CertificateAnatomy(chain.certificatesDER[0])
        let signer = DERBytes.element(
            0x30,
            [2, 1, 1],
            DERBytes.element(0x30, Array(leaf.issuer), Array(leaf.serialNumber)),
            digest,
            ReceiptAlgorithm.rsaEncryption,
            DERBytes.element(0x04, Array(signed.signature))
        )
        let certificates = chain.certificatesDER.joined()
        let bytes: [UInt8] =
            [0x30, 0x80, 6, 9] + ReceiptAlgorithm.signedData + [0xA0, 0x80, 0x30, 0x80, 2, 1, 1]
            + DERBytes.element(0x31, digest) + [0x30, 0x80] + data + [0, 0] + [0xA0, 0x80] + certificates + [0, 0]
            + DERBytes.element(0x31, signer) + [0, 0, 0, 0, 0, 0]
        let read = try SignedReceipt(bytes)
        #expect(read.receipt == signed.receipt && read.signature == signed.signature)
        #expect(throws: ReceiptRefusal.notAuthenticated(reason: "is not encoded like App Store receipts")) {
            try ReceiptSample.verifier().verify(read)
        }
    }
}
