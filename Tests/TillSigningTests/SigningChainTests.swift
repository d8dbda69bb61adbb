import Crypto
import Foundation
import Testing
import X509

@testable import TillSigning

@Suite("The signing chain")
struct SigningChainTests {
    /// 1 January 2026, in milliseconds since 1970.
    static let someDay: Int64 = 1_767_225_600_000
    static let payload = Array(#"{"bundleId":"com.example.app","signedDate":1767225600000}"#.utf8)

    let root: RootAuthority
    let chain: SigningChain

    init() throws {
        root = try RootAuthority.make()
        chain = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
    }

    @Test(
        "OpenSSL accepts the chain in its strictest mode, in 2008, today and in 2099",
        arguments: [1_199_145_660, 1_767_225_600, 4_102_444_000]
    )
    func openSSLAccepts(seconds: Int) throws {
        let parts = chain.certificatesDER.map(CertificateText.pem)
        let answer = try OpenSSL.inFolder { folder in
            try OpenSSL.run([
                "verify", "-x509_strict", "-check_ss_sig", "-no-CApath", "-no-CAstore", "-attime", "\(seconds)",
                "-CAfile", folder.file("root.pem", parts[2]), "-untrusted", folder.file("intermediate.pem", parts[1]),
                folder.file("leaf.pem", parts[0]),
            ])
        }
        #expect(answer.status == 0, "\(answer.text)")
        #expect(answer.text.contains("leaf.pem: OK"))
    }

    @Test("OpenSSL rejects the chain under another root, before 2008 and after 2100")
    func openSSLRefuses() throws {
        let parts = chain.certificatesDER.map(CertificateText.pem)
        let other = try RootAuthority.make().certificatePEM
        for (trusted, seconds) in [(other, 1_767_225_600), (parts[2], 1_199_145_000), (parts[2], 4_102_444_801)] {
            let answer = try OpenSSL.inFolder { folder in
                try OpenSSL.run([
                    "verify", "-x509_strict", "-no-CApath", "-no-CAstore", "-attime", "\(seconds)",
                    "-CAfile", folder.file("root.pem", trusted),
                    "-untrusted", folder.file("intermediate.pem", parts[1]), folder.file("leaf.pem", parts[0]),
                ])
            }
            #expect(answer.status != 0, "\(answer.text)")
        }
    }

    @Test("OpenSSL reads the certificates as verifiers need them")
    func profile() throws {
        let texts = try chain.certificatesDER.map { der in
            try OpenSSL.inFolder { folder in
                let path = try folder.file("certificate.pem", CertificateText.pem(of: der))
                return try OpenSSL.run(["x509", "-in", path, "-noout", "-text"]).text
            }
        }
        for text in texts {
            #expect(text.contains("Signature Algorithm: ecdsa-with-SHA384"))
            #expect(text.contains("Not Before: Jan  1 00:00:00 2008 GMT"))
            #expect(text.contains("Not After : Jan  1 00:00:00 2100 GMT"))
            #expect(text.contains("X509v3 Basic Constraints: critical"))
            #expect(text.contains("X509v3 Key Usage: critical"))
            #expect(text.contains("X509v3 Subject Key Identifier"))
            #expect(text.contains("O = Till"))
            #expect(!text.contains("Apple"))
        }
        #expect(texts[0].contains("CA:FALSE") && texts[0].contains("prime256v1"))
        #expect(texts[0].contains("1.2.840.113635.100.6.11.1: \n"), "the marker is there and not critical")
        #expect(texts[1].contains("CA:TRUE, pathlen:0") && texts[1].contains("secp384r1"))
        #expect(texts[1].contains("1.2.840.113635.100.6.2.1: \n"), "the marker is there and not critical")
        #expect(texts[2].contains("CA:TRUE\n") && texts[2].contains("secp384r1"))
        for text in texts.prefix(2) {
            #expect(text.contains("X509v3 Authority Key Identifier"))
            #expect(text.contains("OCSP - URI:http://localhost:8888/ocsp"))
        }
        for (certificate, oid) in [
            (chain.leaf, CertificateMarker.leaf), (chain.intermediate, CertificateMarker.intermediate),
        ] {
            #expect(certificate.extensions[oid: oid]?.value == [5, 0])
        }
    }

    @Test("The header contains alg and three certificates, and never - or _, whatever the keys")
    func header() throws {
        for _ in 0..<20 {
            let chain = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/~till?a>b")
            #expect(!chain.headerSegment.contains(UInt8(ascii: "-")))
            #expect(!chain.headerSegment.contains(UInt8(ascii: "_")))
        }
        struct Header: Codable, Equatable {
            let alg: String
            let x5c: [String]
        }
        let json = try #require(Base64URL.decode(chain.headerSegment[...]))
        let header = try JSONDecoder().decode(Header.self, from: Data(json))
        #expect(header == Header(alg: "ES256", x5c: chain.certificatesDER.map { Data($0).base64EncodedString() }))
        #expect(chain.certificatesDER[2] == root.certificateDER)
    }

    @Test("A signed payload is verified with the leaf's key and decoded unchanged")
    func signs() throws {
        let jws = try CompactJWS(try chain.sign(Self.payload))
        #expect(jws.payload == Self.payload)
        #expect(jws.headerString("alg") == "ES256")
        #expect(jws.verify(with: chain.publicKey))
        // The library verifies it directly, with the key from the certificate instead of our own key.
        let leafKey = try #require(P256.Signing.PublicKey(chain.leaf.publicKey))
        let signed = chain.headerSegment + [UInt8(ascii: ".")] + Base64URL.encode(Self.payload)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
        #expect(leafKey.isValidSignature(signature, for: signed))
    }

    @Test("A changed character anywhere in the header, payload or signature is detected")
    func tampering() throws {
        let text = Array(try chain.sign(Self.payload).utf8)
        for position in stride(from: 0, to: text.count, by: 61) where text[position] != UInt8(ascii: ".") {
            var changed = text
            changed[position] = changed[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let jws = try? CompactJWS(String(decoding: changed, as: UTF8.self))
            #expect(jws?.verify(with: chain.publicKey) != true, "position \(position)")
        }
        let jws = try CompactJWS(String(decoding: text, as: UTF8.self))
        #expect(!jws.verify(with: APIKeyPair.make().publicKey))
    }

    @Test("A JWS can be composed from its parts again, byte by byte", arguments: [0, 1, 2, 3, 1_000])
    func reassembles(length: Int) throws {
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: length)
        let bytes = try chain.signText(payload).bytes
        let last = try #require(bytes.split(separator: UInt8(ascii: ".")).last)
        let signature = try #require(Base64URL.decode(last))
        #expect(signature.count == 64)
        #expect(SigningChain.assemble(header: chain.headerSegment, payload: payload, signature: signature) == bytes)
    }

    @Test("A signature that was stored without its text gives a JWS that can be verified")
    func detached() throws {
        let signature = try chain.signature(for: Self.payload)
        let text = SigningChain.assemble(header: chain.headerSegment, payload: Self.payload, signature: signature)
        #expect(try CompactJWS(String(decoding: text, as: UTF8.self)).verify(with: chain.publicKey))
    }

    @Test("A chain that is written as PEM is read back as the same chain, and its old signatures are still valid")
    func roundTrip() throws {
        let read = try SigningChain(
            certificatesPEM: chain.certificatesPEM,
            leafPrivateKeyPEM: chain.leafPrivateKeyPEM,
            intermediatePrivateKeyPEM: chain.intermediatePrivateKeyPEM
        )
        #expect(read.id == chain.id && read.id.count == 16)
        #expect(read.headerSegment == chain.headerSegment)
        #expect(try CompactJWS(try read.sign(Self.payload)).verify(with: chain.publicKey))
    }

    @Test("Parts that do not belong together are rejected, and the error names the part")
    func misfits() throws {
        let other = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
        let otherChain = try SigningChain.issue(under: RootAuthority.make(), ocspURL: "http://localhost:8888/ocsp")
        let own = chain.certificatesDER
        expect(.mismatchedKey, .leafKey, own, leafKey: other.leafPrivateKeyPEM)
        expect(.mismatchedKey, .intermediateKey, own, intermediateKey: other.intermediatePrivateKeyPEM)
        expect(.unreadable, .leafKey, own, leafKey: chain.intermediatePrivateKeyPEM)
        expect(.unreadable, .intermediateKey, own, intermediateKey: Secret("no key"))
        expect(.unreadable, .leaf, Array(own.prefix(2)))
        expect(.unreadable, .intermediate, [own[0], [0x30, 0x00], own[2]])
        // The first case has the intermediate of another root; the second has a root that did not sign the
        // intermediate.
        expect(
            .brokenChain,
            .leaf,
            [own[0], other.certificatesDER[1], own[2]],
            intermediateKey: other.intermediatePrivateKeyPEM
        )
        expect(.brokenChain, .intermediate, [own[0], own[1], otherChain.certificatesDER[2]])
        expect(.brokenChain, .root, [own[0], own[1], own[1]])
    }

    @Test("A chain is valid between 2008 and 2100; outside that time, the error names the certificate")
    func validity() {
        #expect(chain.problems(at: Self.someDay).isEmpty)
        #expect(chain.problems(at: 1_199_145_600_000).isEmpty)
        #expect(chain.problems(at: 4_102_444_800_000).isEmpty)
        #expect(chain.problems(at: 1_199_145_599_999).map(\.part) == [.root, .intermediate, .leaf])
        #expect(chain.problems(at: 4_102_444_800_001).map(\.part) == [.root, .intermediate, .leaf])
        #expect(chain.problems(at: .max).count == 3)
        let first = chain.problems(at: .min).first
        #expect(first?.description.hasPrefix("the root certificate is not valid before") == true)
    }

    @Test("Every problem of a leaf certificate without extensions is reported")
    func bareLeaf() throws {
        let bare = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(chain.leafPrivateKey.publicKey),
            notValidBefore: CertificateProfile.notValidBefore,
            notValidAfter: CertificateProfile.notValidAfter,
            issuer: chain.intermediate.subject,
            subject: DistinguishedName { CommonName("bare") },
            signatureAlgorithm: .ecdsaWithSHA384,
            extensions: Certificate.Extensions {},
            issuerPrivateKey: Certificate.PrivateKey(chain.intermediatePrivateKey)
        )
        let problems = ChainInspection(leaf: bare, intermediate: chain.intermediate, root: chain.root).problems()
        #expect(problems.map(\.part) == [.leaf, .leaf, .leaf, .leaf, .leaf])
        #expect(
            problems.map(\.reason) == [
                "has no subject key identifier",
                "has no authority key identifier that matches the intermediate certificate",
                "has no OCSP address",
                "may not sign data (keyUsage)",
                "lacks the marker extension 1.2.840.113635.100.6.11.1",
            ]
        )
    }

    @Test(
        "An OCSP URL is http or https, in ASCII",
        arguments: ["", "http://", "ftp://a/b", "http://a b", "http://ü"]
    )
    func addresses(url: String) {
        #expect(throws: SigningError(.unusableValue, .leaf, "")) { try SigningChain.issue(under: root, ocspURL: url) }
    }

    @Test("The printed text of a chain, a root or a key contains no private key")
    func redacted() {
        var dumped = ""
        dump(root.privateKeyPEM, to: &dumped)
        let secret = chain.leafPrivateKeyPEM
        let texts = ["\(chain)", "\(root)", "\(secret)", String(reflecting: secret), dumped]
        for text in texts {
            #expect(!text.contains("BEGIN"))
        }
        #expect("\(secret)" == "redacted")
    }

    private func expect(
        _ code: SigningError.Code,
        _ part: ChainPart,
        _ certificates: [[UInt8]],
        leafKey: Secret? = nil,
        intermediateKey: Secret? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: SigningError(code, part, ""), sourceLocation: location) {
            try SigningChain(
                certificatesPEM: certificates.map(CertificateText.pem).joined(),
                leafPrivateKeyPEM: leafKey ?? chain.leafPrivateKeyPEM,
                intermediatePrivateKeyPEM: intermediateKey ?? chain.intermediatePrivateKeyPEM
            )
        }
    }
}
