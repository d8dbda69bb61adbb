import Foundation
import Testing
import X509

@testable import TillSigning

@Suite("The OCSP responder")
struct OCSPResponderTests {
    static let minute: Int64 = 60_000

    let root: RootAuthority
    let chain: SigningChain
    let responder: OCSPResponder

    init() throws {
        root = try RootAuthority.make()
        chain = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
        var responder = try OCSPResponder(root: root)
        try responder.add(chain)
        self.responder = responder
    }

    /// OpenSSL compares the dates of an answer with real time.
    private var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    // MARK: OpenSSL as the client

    /// Certificates and OCSP requests about them, as files.
    private struct Fixture {
        let folder: URL
        let root: String
        let intermediate: String
        let leaf: String

        init(_ folder: URL, _ chain: SigningChain) throws {
            let parts = chain.certificatesDER.map(CertificateText.pem)
            self.folder = folder
            leaf = try folder.file("leaf.pem", parts[0])
            intermediate = try folder.file("intermediate.pem", parts[1])
            root = try folder.file("root.pem", parts[2])
        }

        /// An OCSP request created by OpenSSL.
        func question(_ arguments: [String]) throws -> [UInt8] {
            let path = folder.appendingPathComponent("question.der")
            let answer = try OpenSSL.run(["ocsp"] + arguments + ["-reqout", path.path])
            #expect(answer.status == 0, "\(answer.text)")
            return Array(try Data(contentsOf: path))
        }

        /// OpenSSL's verdict on an answer to the request that OpenSSL created.
        func judgement(of bytes: [UInt8], _ arguments: [String]) throws -> String {
            let path = folder.appendingPathComponent("answer.der")
            try Data(bytes).write(to: path)
            let asked = folder.appendingPathComponent("question.der").path
            let certificates = ["-CAfile", root, "-verify_other", intermediate, "-no-CApath", "-no-CAstore"]
            // The answer must have the nonce of the request, and no other nonce.
            let files = ["-reqin", asked, "-no_nonce", "-respin", path.path]
            return try OpenSSL.run(["ocsp"] + files + certificates + arguments).text
        }
    }

    private func bytes(_ reply: OCSPReply) throws -> [UInt8] {
        guard case .answer(let bytes) = reply.content else { throw NoAnswer() }
        return bytes
    }

    private struct NoAnswer: Error {}

    @Test(
        "OpenSSL reads the leaf and intermediate certificates as good, with either hash",
        arguments: ["sha1", "sha256", "sha384"]
    )
    func good(hash: String) throws {
        try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            for (issuer, certificate) in [(fixture.intermediate, fixture.leaf), (fixture.root, fixture.intermediate)] {
                let asked = ["-\(hash)", "-issuer", issuer, "-cert", certificate]
                let reply = responder.reply(to: try fixture.question(asked), at: now) { _ in .good }
                let text = try fixture.judgement(of: try bytes(reply), asked)
                #expect(text.contains("Response verify OK"), "\(text)")
                #expect(text.contains(".pem: good"), "\(text)")
                #expect(reply.delay == 0)
            }
        }
    }

    @Test("OpenSSL reads the time and the reason of a revocation")
    func revoked() throws {
        try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            let asked = ["-issuer", fixture.intermediate, "-cert", fixture.leaf]
            let question = try fixture.question(asked)
            for reason in OCSPRevocationReason.allCases {
                let reply = responder.reply(to: question, at: now) { _ in
                    .revoked(at: 1_767_268_800_000, reason: reason)
                }
                let text = try fixture.judgement(of: try bytes(reply), asked)
                #expect(text.contains("Response verify OK") && text.contains("leaf.pem: revoked"), "\(text)")
                // OpenSSL 3.0 has no text for the last two reasons.
                let isNamed = text.lowercased().contains("reason: \(reason.rawValue.lowercased())")
                #expect(isNamed || [.privilegeWithdrawn, .aaCompromise].contains(reason), "\(text)")
                let content = try bytes(reply)
                #expect(Data(content).range(of: Data([0xA0, 3, 0x0A, 1, reason.code])) != nil)
                #expect(text.contains("Revocation Time: Jan  1 12:00:00 2026 GMT"), "\(text)")
            }
            let silent = responder.reply(to: question, at: now) { _ in .revoked(at: 0, reason: nil) }
            let text = try fixture.judgement(of: try bytes(silent), asked)
            #expect(text.contains("revoked") && !text.contains("Reason"), "\(text)")
        }
    }

    @Test("Several certificates of one issuer are answered in one response, including certificates of old chains")
    func several() throws {
        let newer = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
        var responder = responder
        let isNew = try responder.add(newer)
        let isNewAgain = try responder.add(newer)
        #expect(isNew && !isNewAgain)
        #expect(responder.certificates.map(\.chainID) == [chain.id, chain.id, newer.id, newer.id])
        let revoked = responder.certificates[2].serial
        try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            let other = try folder.file("newer.pem", CertificateText.pem(of: newer.certificatesDER[1]))
            let asked = ["-issuer", fixture.root, "-cert", fixture.intermediate, "-cert", other]
            let reply = responder.reply(to: try fixture.question(asked), at: now) {
                $0 == revoked ? .revoked(at: 0, reason: .superseded) : .good
            }
            let text = try fixture.judgement(of: try bytes(reply), asked)
            #expect(text.contains("Response verify OK") && text.contains("intermediate.pem: good"), "\(text)")
            #expect(text.contains("newer.pem: revoked"), "\(text)")
        }
    }

    @Test("A serial number that was never issued is unknown; a request about another root gets no answer")
    func unknown() throws {
        try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            let asked = ["-issuer", fixture.intermediate, "-serial", "0x1234"]
            let reply = responder.reply(to: try fixture.question(asked), at: now) { _ in .good }
            let text = try fixture.judgement(of: try bytes(reply), asked)
            #expect(text.contains("Response verify OK") && text.contains("0x1234: unknown"), "\(text)")

            let otherChain = try SigningChain.issue(under: try RootAuthority.make(), ocspURL: "http://localhost/ocsp")
            var responder = responder
            let isAdded = try responder.add(otherChain)
            #expect(!isAdded)
            let otherFixture = try Fixture(folder, otherChain)
            let question = try otherFixture.question(["-issuer", otherFixture.intermediate, "-cert", otherFixture.leaf])
            let refusal = try bytes(responder.reply(to: question, at: now) { _ in .good })
            #expect(refusal == [0x30, 3, 0x0A, 1, 6])
        }
    }

    @Test("Outdated, slow, wrong and failing answers differ from a good answer only in that")
    func states() throws {
        try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            let asked = ["-issuer", fixture.intermediate, "-cert", fixture.leaf]
            let question = try fixture.question(asked)
            func reply(_ state: OCSPState) -> OCSPReply { responder.reply(to: question, at: now) { _ in state } }
            let stale = try fixture.judgement(of: try bytes(reply(.stale)), asked)
            #expect(stale.contains("Response verify OK") && stale.contains("status expired"), "\(stale)")
            let slow = reply(.slow(milliseconds: 700))
            #expect(slow.delay == 700)
            #expect(try fixture.judgement(of: try bytes(slow), asked).contains("leaf.pem: good"))
            #expect(try fixture.judgement(of: try bytes(reply(.error(.tryLater))), asked).contains("trylater"))
            #expect(
                try fixture.judgement(of: try bytes(reply(.error(.internalError))), asked).contains("internalerror")
            )
            #expect(try fixture.judgement(of: try bytes(reply(.error(.unauthorized))), asked).contains("unauthorized"))
            #expect(reply(.error(.http500)).content == .serverError)
            #expect(reply(.dead).content == .silence)
        }
    }

    // MARK: Malicious requests

    @Test("A request with one bit changed, truncated or extended is answered without a crash")
    func hostile() throws {
        let question = try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            return try fixture.question(["-issuer", fixture.intermediate, "-cert", fixture.leaf, "-cert", fixture.leaf])
        }
        var statuses: [UInt8: Int] = [:]
        func ask(_ bytes: [UInt8]) throws {
            let answer = try self.bytes(responder.reply(to: bytes, at: now) { _ in .good })
            // The answer is the sequence `30 len 0a 01 status`, or a long answer with the status after a header of four
            // bytes.
            let status = answer.count == 5 ? answer[4] : 0
            statuses[status, default: 0] += 1
        }
        for place in question.indices {
            for bit in 0..<8 {
                var bytes = question
                bytes[place] ^= 1 << bit
                try ask(bytes)
            }
            try ask(Array(question[..<place]))
            try ask(question + question[..<place])
        }
        #expect(Set(statuses.keys).isSubset(of: [0, 1, 6]), "\(statuses)")
        #expect(statuses[1, default: 0] > question.count)
    }

    @Test(
        "A request that is nested too deeply, too long, empty or has too many entries is malformed",
        arguments: [
            [], [0x30, 0x00], [0x30, 0x80, 0x00, 0x00], [0x05, 0x00],
            // These nested sequences are deeper than those of any client.
            (0..<100).reversed().reduce(into: [UInt8]()) { bytes, _ in
                bytes = [0x30, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
            },
            [UInt8](repeating: 0x30, count: 20_000),
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8),
            // This request contains no certificate.
            [0x30, 0x04, 0x30, 0x02, 0x30, 0x00],
        ] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) throws {
        #expect(try self.bytes(responder.reply(to: bytes, at: now) { _ in .good }) == [0x30, 3, 0x0A, 1, 1])
    }

    @Test("A request for thirty-two certificates is answered, and one for thirty-three is refused")
    func count() throws {
        try OpenSSL.inFolder { folder in
            let fixture = try Fixture(folder, chain)
            for (count, isAnswered) in [(32, true), (33, false)] {
                let serials = (1...count).flatMap { ["-serial", "\($0)"] }
                let question = try fixture.question(["-no_nonce", "-issuer", fixture.intermediate] + serials)
                let answer = try bytes(responder.reply(to: question, at: now) { _ in .good })
                #expect((answer.count > 5) == isAnswered)
            }
        }
    }
}
