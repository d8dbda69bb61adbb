import Foundation
import Testing
import TillJSON

@testable import TillSigning

@Suite("Forgeries that a correct verifier must reject")
struct ForgerTests {
    /// 1 January 2026; `realTime` is half a year later. Each is in milliseconds since 1970.
    static let signed: Int64 = 1_767_225_600_000
    static let realTime: Int64 = 1_782_864_000_000
    static let payload = Array(#"{"productId":"com.example.seeds"}"#.utf8)
    static let altered = Array(#"{"productId":"com.example.everything"}"#.utf8)

    let root: RootAuthority
    let chain: SigningChain
    let forger: Forger

    init() throws {
        root = try RootAuthority.make()
        chain = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
        forger = Forger(root: root, chain: chain)
    }

    private func forged(_ forgery: Forgery) throws -> (jws: CompactJWS, certificates: [String]) {
        let content = Forger.Content(
            payload: Self.payload,
            altered: Self.altered,
            judged: Self.signed...Self.realTime
        )
        let jws = try CompactJWS(try forger.sign(content, forgery))
        guard case .array(let texts)? = jws.header["x5c"] else { return (jws, []) }
        return (jws, texts.compactMap { if case .string(let text) = $0 { text } else { nil } })
    }

    /// OpenSSL's verdict on a leaf and an intermediate at an instant, with our root as the trusted root.
    private func verdict(_ certificates: [String], at milliseconds: Int64) throws -> OpenSSL.Answer {
        let parts = certificates.map { CertificateText.pem(of: Base64.decode($0) ?? []) }
        return try OpenSSL.inFolder { folder in
            try OpenSSL.run([
                "verify", "-x509_strict", "-no-CApath", "-no-CAstore", "-attime", "\(milliseconds / 1_000)",
                "-CAfile", folder.file("root.pem", root.certificatePEM),
                "-untrusted", folder.file("intermediate.pem", parts[1]), folder.file("leaf.pem", parts[0]),
            ])
        }
    }

    @Test(
        "The certificates of all but four cases lead to the root, so that each case has only one fault",
        arguments: Forgery.allCases
    )
    func certificates(forgery: Forgery) throws {
        let (_, certificates) = try forged(forgery)
        let isBroken = [.wrongRoot, .expiredLeaf, .leafNotYetValid].contains(forgery)
        for instant in [Self.signed, Self.realTime] {
            let answer = try verdict(certificates, at: instant)
            #expect((answer.status == 0) == !isBroken, "\(answer.text)")
        }
    }

    @Test("A leaf certificate that is outside its validity is valid a little earlier or later")
    func times() throws {
        let day: Int64 = 86_400_000
        let expired = try verdict(try forged(.expiredLeaf).certificates, at: Self.signed - day - 1_000)
        #expect(expired.status == 0, "\(expired.text)")
        let early = try verdict(try forged(.leafNotYetValid).certificates, at: Self.realTime + day + 1_000)
        #expect(early.status == 0, "\(early.text)")
    }

    @Test("Apple's marker extensions are missing only in the cases about them")
    func markers() throws {
        for forgery in Forgery.allCases {
            let (_, certificates) = try forged(forgery)
            let texts = try certificates.prefix(2).map { certificate in
                try OpenSSL.inFolder { folder in
                    let pem = CertificateText.pem(of: Base64.decode(certificate) ?? [])
                    return try OpenSSL.run(["x509", "-noout", "-text", "-in", folder.file("a.pem", pem)]).text
                }
            }
            #expect(texts[0].contains("1.2.840.113635.100.6.11.1") == (forgery != .leafWithoutMarker))
            #expect(texts[1].contains("1.2.840.113635.100.6.2.1") == (forgery != .intermediateWithoutMarker))
        }
    }

    @Test("The cases with two and with four certificates have chains of that length", arguments: Forgery.allCases)
    func length(forgery: Forgery) throws {
        let count = try forged(forgery).certificates.count
        #expect(count == (forgery == .chainOfTwo ? 2 : forgery == .chainOfFour ? 4 : 3))
    }

    @Test("Signatures are wrong only in the cases about signatures")
    func signatures() throws {
        for forgery in [Forgery.chainOfTwo, .chainOfFour] {
            #expect(try forged(forgery).jws.verify(with: chain.publicKey))
        }
        for forgery in [Forgery.tamperedPayload, .tamperedSignature, .algorithmNone, .sharedSecret] {
            #expect(try !forged(forgery).jws.verify(with: chain.publicKey))
        }
        #expect(try forged(.tamperedPayload).jws.payload == Self.altered)
        #expect(try forged(.tamperedSignature).jws.signature.count == 64)
        #expect(try forged(.tamperedSignature).jws.payload == Self.payload)
        #expect(try forged(.algorithmNone).jws.headerString("alg") == "none")
        #expect(try forged(.algorithmNone).jws.signature.isEmpty)
        #expect(try forged(.sharedSecret).jws.headerString("alg") == "HS256")
        #expect(try forged(.sharedSecret).jws.signature.count == 32)
    }
}
