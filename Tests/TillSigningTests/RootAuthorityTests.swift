import Crypto
import Foundation
import Testing

@testable import TillSigning

@Suite("The root authority")
struct RootAuthorityTests {
    @Test("A root that is written as PEM is read back as the same root")
    func roundTrip() throws {
        let root = try RootAuthority.make(name: "Till Root CA of tests")
        let read = try RootAuthority(certificatePEM: root.certificatePEM, privateKeyPEM: root.privateKeyPEM)
        #expect(read.certificateDER == root.certificateDER)
        #expect(read.privateKeyPEM == root.privateKeyPEM)
        #expect(root.privateKeyPEM.exposed.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(root.fingerprint.count == 64)
        #expect(root.fingerprint == read.fingerprint)
    }

    @Test("Two roots have different keys, certificates and fingerprints")
    func unique() throws {
        let roots = try [RootAuthority.make(), RootAuthority.make()]
        #expect(roots[0].fingerprint != roots[1].fingerprint)
        #expect(roots[0].privateKeyPEM != roots[1].privateKeyPEM)
    }

    @Test("A key of another root is rejected, and the error names the key")
    func otherKey() throws {
        let (one, other) = (try RootAuthority.make(), try RootAuthority.make())
        #expect(throws: SigningError(.mismatchedKey, .rootKey, "")) {
            try RootAuthority(certificatePEM: one.certificatePEM, privateKeyPEM: other.privateKeyPEM)
        }
    }

    @Test("Text that is not a certificate or a key is rejected, and the error does not repeat the key")
    func unreadable() throws {
        let root = try RootAuthority.make()
        #expect(throws: SigningError(.unreadable, .root, "")) {
            try RootAuthority(certificatePEM: "hello", privateKeyPEM: root.privateKeyPEM)
        }
        #expect(throws: SigningError(.unreadable, .root, "")) {
            try RootAuthority(
                certificatePEM: root.certificatePEM + root.certificatePEM,
                privateKeyPEM: root.privateKeyPEM
            )
        }
        let p256 = Secret(P256.Signing.PrivateKey().pemRepresentation)
        let error = #expect(throws: SigningError(.unreadable, .rootKey, "")) {
            try RootAuthority(certificatePEM: root.certificatePEM, privateKeyPEM: p256)
        }
        #expect(error?.message == "The root private key is not a P-384 private key in PEM.")
        #expect(error?.description.contains("BEGIN") == false)
    }

    @Test("A certificate that another authority issued is not a root")
    func notSelfSigned() throws {
        let chain = try SigningChain.issue(under: RootAuthority.make(), ocspURL: "http://localhost/ocsp")
        #expect(throws: SigningError(.brokenChain, .root, "")) {
            try RootAuthority(
                certificatePEM: CertificateText.pem(of: chain.certificatesDER[1]),
                privateKeyPEM: chain.intermediatePrivateKeyPEM
            )
        }
    }

    @Test(
        "A root's name has at most 64 ASCII characters",
        arguments: ["", "a~b", "what?", "a>b", "Wurzel für alle", "a\nb", String(repeating: "a", count: 65)]
    )
    func names(name: String) {
        #expect(throws: SigningError(.unusableValue, .root, "")) { try RootAuthority.make(name: name) }
    }
}
