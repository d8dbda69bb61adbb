import Foundation
import Testing

@testable import TillVerification

@Suite("Base64 and base64url")
struct Base64Tests {
    @Test("Base64 of any length and content equals Foundation's, and can be decoded")
    func agreesWithFoundation() {
        var generator = SystemRandomNumberGenerator()
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let standard = Data(bytes).base64EncodedString()
            let urlSafe = standard.replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(String(decoding: Base64URL.encode(bytes), as: UTF8.self) == urlSafe)
            #expect(Base64URL.encodedCount(of: length) == urlSafe.utf8.count)
            #expect(Base64URL.decode(urlSafe) == bytes)
            #expect(Base64.encode(bytes) == standard)
            #expect(Base64.decode(standard) == bytes)
        }
    }

    @Test(
        "base64url rejects padding, white space, characters outside its alphabet, incomplete groups and unused bits",
        arguments: ["QQ==", "QQ=", "QU I", "QUI\n", "+w", "/w", "Q", "QUJDR", "QR", "QUJ", "QQé", "Q.Q"]
    )
    func urlIsStrict(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "Standard Base64 rejects missing or misplaced padding, white space and unused bits",
        arguments: [
            "QQ", "QQ=", "QUI", "QR==", "QUJ=", "Q===", "====", "QUJD====", "QQ==QQ==", "QUJ\n", "-w==", "_w==",
        ]
    )
    func standardIsStrict(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("Appending Base64 keeps the existing content")
    func appends() {
        var text = Array("a.".utf8)
        Base64URL.append([0xFB, 0xFF], to: &text)
        #expect(String(decoding: text, as: UTF8.self) == "a.-_8")
    }
}
