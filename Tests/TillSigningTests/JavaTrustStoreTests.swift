import Crypto
import Foundation
import Testing
import TillSigning

/// Checks the format of the JDK's `JavaKeyStore`. In Tests/Python/network/test_exec.py, a JDK reads a trust store.
@Suite("Java trust stores")
struct JavaTrustStoreTests {
    private let certificates: [[UInt8]]

    init() throws {
        let chain = try SigningChain.issue(under: RootAuthority.make(), ocspURL: "http://localhost/ocsp")
        certificates = chain.certificatesDER
    }

    @Test("A trust store is in JKS format: header, entries, and a checksum over the password and the data")
    func format() throws {
        let bytes = JavaTrustStore(certificates: certificates).written(at: 1_767_225_600_000)
        #expect(bytes.prefix(12) == [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2, 0, 0, 0, 3])
        var entry: [UInt8] = [0, 0, 0, 2, 0, 6] + Array("till-0".utf8) + [0, 0, 0x01, 0x9B, 0x76, 0xDA, 0xA8, 0x00]
        entry += [0, 5] + Array("X.509".utf8)
        entry += [0, 0, UInt8(certificates[0].count >> 8), UInt8(certificates[0].count & 0xFF)] + certificates[0]
        #expect(bytes.dropFirst(12).prefix(entry.count) == entry[...])
        let password = "changeit".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let sum = Insecure.SHA1.hash(data: password + Array("Mighty Aphrodite".utf8) + bytes.dropLast(20))
        #expect(bytes.suffix(20) == Array(sum)[...])
    }

    @Test("A trust store is read back; truncated and other data are rejected")
    func roundTrip() throws {
        let bytes = JavaTrustStore(certificates: certificates).written(at: 0)
        #expect(JavaTrustStore(bytes)?.certificates == certificates)
        for length in [0, 3, 11, 12, 40, bytes.count - 400] {
            #expect(JavaTrustStore(Array(bytes.prefix(length))) == nil, "\(length)")
        }
        #expect(JavaTrustStore(Array("-----BEGIN CERTIFICATE-----".utf8)) == nil)
        #expect(JavaTrustStore(certificates[0]) == nil, "a certificate alone is no store")
        // The store contains a key, so it is not a trust store.
        #expect(JavaTrustStore(Array(bytes[..<12]) + [0, 0, 0, 1] + Array(bytes[16...])) == nil)
    }

    @Test("An unencrypted PKCS#12 trust store, as in JDKs since 18, is accepted; an encrypted one is rejected")
    func pkcs12() throws {
        try OpenSSL.inFolder { folder in
            let pem = certificates.map { der in
                "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString())\n-----END CERTIFICATE-----\n"
            }
            let source = try folder.file("all.pem", pem.joined())
            func stored(_ options: [String]) throws -> [UInt8] {
                let target = folder.appendingPathComponent("store.p12").path
                let made = try OpenSSL.run(
                    ["pkcs12", "-export", "-nokeys", "-in", source, "-out", target, "-passout", "pass:x"] + options
                )
                #expect(made.status == 0, "\(made.text)")
                return Array(try Data(contentsOf: URL(fileURLWithPath: target)))
            }
            #expect(try JavaTrustStore(stored(["-certpbe", "NONE", "-nomac"]))?.certificates == certificates)
            #expect(try JavaTrustStore(stored([])) == nil)
        }
    }
}
