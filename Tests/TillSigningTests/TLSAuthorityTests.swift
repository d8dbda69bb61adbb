import Crypto
import Foundation
import SwiftASN1
import Testing
import TillSigning
import X509

/// Checks TLS certificates, which use real time. The tests pass the time as an argument.
@Suite("TLS certificates")
struct TLSAuthorityTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let day: TimeInterval = 86_400
    private static let names = ["api.storekit.apple.com", "*.till.test", "127.0.0.1", "::1"].compactMap(TLSName.init)

    private func certificate(_ pem: String) throws -> Certificate { try Certificate(pemEncoded: pem) }

    @Test("A server certificate is valid for at most 398 days and has the requested names")
    func server() throws {
        let authority = try TLSAuthority.make(now: Self.now)
        let identity = try authority.issue(names: Self.names, now: Self.now)
        let documents = try PEMDocument.parseMultiple(pemString: identity.certificatesPEM)
        let server = try Certificate(pemDocument: try #require(documents.first))
        #expect(server.notValidAfter.timeIntervalSince(server.notValidBefore) <= 398 * Self.day)
        #expect(server.notValidBefore < Self.now)
        let found = try #require(try server.extensions.subjectAlternativeNames)
        #expect(found.count == 4)
        #expect(found.contains(.dnsName("*.till.test")))
        let root = try certificate(authority.certificatePEM)
        #expect(root.publicKey.isValidSignature(server.signature, for: server))
        #expect(server.issuer == root.subject && root.issuer == root.subject)
    }

    @Test("A written certificate is read back; a certificate with the key of another is rejected")
    func readBack() throws {
        let authority = try TLSAuthority.make(now: Self.now)
        let again = try TLSAuthority(
            certificatePEM: authority.certificatePEM,
            privateKeyPEM: authority.privateKeyPEM
        )
        #expect(again.fingerprint == authority.fingerprint)
        let identity = try again.issue(names: Self.names, now: Self.now)
        let read = try TLSIdentity(
            certificatesPEM: identity.certificatesPEM,
            privateKeyPEM: identity.privateKeyPEM
        )
        #expect(read.isFit(for: Self.names, under: authority, now: Self.now))

        let other = try TLSAuthority.make(now: Self.now)
        let mismatched = #expect(throws: SigningError.self) {
            try TLSAuthority(certificatePEM: authority.certificatePEM, privateKeyPEM: other.privateKeyPEM)
        }
        #expect(mismatched?.code == .mismatchedKey)
        let mismatch = #expect(throws: SigningError.self) {
            try TLSIdentity(certificatesPEM: identity.certificatesPEM, privateKeyPEM: other.privateKeyPEM)
        }
        #expect(mismatch?.part == .tlsServerKey)
        #expect(throws: SigningError.self) {
            try TLSIdentity(certificatesPEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM)
        }
    }

    @Test("A certificate is reused for the same names under the same root until a month before it expires")
    func renewal() throws {
        let authority = try TLSAuthority.make(now: Self.now)
        let identity = try authority.issue(names: Self.names, now: Self.now)
        func isFit(_ names: [TLSName], _ authority: TLSAuthority, after days: Double) -> Bool {
            identity.isFit(for: names, under: authority, now: Self.now + days * Self.day)
        }
        #expect(isFit(Self.names, authority, after: 0))
        #expect(isFit(Self.names.reversed(), authority, after: 366))
        #expect(!isFit(Self.names, authority, after: 368))
        #expect(!isFit(Self.names, authority, after: -2))
        #expect(!isFit(Array(Self.names.dropLast()), authority, after: 0))
        #expect(!isFit(Self.names, try TLSAuthority.make(now: Self.now), after: 0))
    }

    @Test("No server certificate is valid longer than its root")
    func endOfRoot() throws {
        let authority = try TLSAuthority.make(now: Self.now)
        let root = try certificate(authority.certificatePEM)
        let late = root.notValidAfter - 10 * Self.day
        #expect(try authority.issue(names: Self.names, now: late).notValidAfter == root.notValidAfter)
    }

    @Test(
        "A name may be a host name, a wildcard name or an address",
        arguments: [
            "localhost", "a.b", "API.Storekit.apple.com", "*.till.test", "10.0.0.1", "fe80::1", "x_y.test", "1.test",
        ]
    )
    func usable(text: String) throws {
        #expect(try #require(TLSName(text)).text == text.lowercased())
    }

    @Test(
        "Any other name is rejected",
        arguments: [
            "", ".", "a..b", "a b", "-a.test", "a-.test", "*", "*.test", "a.*.test", "till.test.", "till.test:443",
            "ä.test",
            "https://till.test", String(repeating: "a", count: 64),
        ]
    )
    func unusable(text: String) {
        #expect(TLSName(text) == nil)
    }
}
