import Testing
import TillShop

@testable import TillSigning
@testable import TillVerification

@Suite("Tampered receipts")
struct ReceiptTamperingTests {
    /// The result of reading a receipt from some bytes.
    private enum Verdict { case valid, malformed, notAuthenticated }

    private func verdict(_ bytes: [UInt8], _ verifier: ReceiptVerifier) -> Verdict {
        do throws(ReceiptRefusal) {
            _ = try verifier.parse(bytes, limit: 16 << 20)
            return .valid
        } catch {
            switch error {
            case .malformed: return .malformed
            case .notAuthenticated: return .notAuthenticated
            }
        }
    }

    @Test("A flipped bit is detected: 2,000 random bits, and every bit that no signature covers")
    func bits() throws {
        let bytes = try ReceiptSample.chain().mint(ReceiptSample.receipt)
        let verifier = try ReceiptSample.verifier()
        #expect(verdict(bytes, verifier) == .valid)
        var numbers = SeededRandom(seed: 4)
        var places = (0..<2_000).map { _ in Int.random(in: 0..<bytes.count * 8, using: &numbers) }
        // No signature covers the frame before the payload, and the signer's information except the signature itself.
        places += 0..<70 * 8
        places += (bytes.count - 440) * 8..<(bytes.count - 256) * 8
        var counts: [Verdict: Int] = [:]
        for place in places {
            var changed = bytes
            changed[place / 8] ^= 1 << UInt8(place % 8)
            counts[verdict(changed, verifier), default: 0] += 1
        }
        #expect(counts[.valid] == nil)
        #expect((counts[.malformed] ?? 0) > 200 && (counts[.notAuthenticated] ?? 0) > 1_000)
    }

    @Test("A flipped bit of a certificate is detected, also in the certificate's frame")
    func certificateBits() throws {
        let chain = try ReceiptSample.chain()
        let bytes = try chain.mint(ReceiptSample.receipt)
        let verifier = try ReceiptSample.verifier()
        for der in chain.certificatesDER {
            let start = try #require(bytes.indices.first { bytes[$0...].starts(with: der) })
            // These positions are the frame at the beginning, and the algorithm and the signature's frame near the end.
            let places = Array(start..<start + 12) + Array(start + der.count - 280..<start + der.count - 255)
            for place in places {
                for bit in [0, 1, 7] as [UInt8] {
                    var changed = bytes
                    changed[place] ^= 1 << bit
                    #expect(verdict(changed, verifier) != .valid, "byte \(place - start), bit \(bit)")
                }
            }
        }
    }

    @Test("A certificate with another number of unused bits is rejected, even if its signature ends in a zero")
    func unusedBits() throws {
        let chain = try ReceiptSample.chain()
        var der = chain.certificatesDER[0]
        der[der.count - 257] = 1
        #expect(throws: BERReader.Fault.self) { try CertificateAnatomy(der) }
    }

    @Test("A receipt that is truncated at any length is malformed")
    func truncation() throws {
        let bytes = try ReceiptSample.chain().mint(ReceiptSample.receipt)
        let verifier = try ReceiptSample.verifier()
        for count in 0..<bytes.count {
            #expect(verdict(Array(bytes.prefix(count)), verifier) == .malformed, "\(count) bytes")
        }
        for extra in [[0], [0, 0], bytes] as [[UInt8]] {
            #expect(verdict(bytes + extra, verifier) == .malformed)
        }
    }

    @Test("Inserting, deleting or doubling bytes never gives another valid receipt")
    func edits() throws {
        let bytes = try ReceiptSample.chain().mint(ReceiptSample.receipt)
        let verifier = try ReceiptSample.verifier()
        var numbers = SeededRandom(seed: 5)
        for _ in 0..<1_000 {
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: changed.remove(at: place)
            case 1: changed.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
            case 2: changed.insert(contentsOf: bytes[place..<min(place + 40, bytes.count)], at: place)
            default: changed[place] = [0, 0x80, 0xFF, 0x30, 0x84].randomElement(using: &numbers) ?? 0
            }
            #expect(changed == bytes || verdict(changed, verifier) != .valid)
        }
    }

    @Test("A genuine payload with signed attributes, a second signer or another wrapper is rejected")
    func wrappings() throws {
        let chain = try ReceiptSample.chain()
        let verifier = try ReceiptSample.verifier()
        let signed = try SignedReceipt(chain.mint(ReceiptSample.receipt))
        let digest = ReceiptAlgorithm.sha256.digest
        let leaf = try CertificateAnatomy(chain.certificatesDER[0])
        let identifier = DERBytes.element(0x30, Array(leaf.issuer), Array(leaf.serialNumber))
        let signature = DERBytes.element(0x04, Array(signed.signature))
        let rsa = ReceiptAlgorithm.rsaEncryption
        let version: [UInt8] = [2, 1, 1]
        let plain = DERBytes.element(0x30, version, identifier, digest, rsa, signature)
        let certificates = Array(chain.certificatesDER.joined())
        func file(
            version: [UInt8] = [2, 1, 1],
            digests: [UInt8]? = nil,
            certificates: [UInt8],
            tail: [UInt8] = [],
            signers: [UInt8]
        ) -> [UInt8] {
            let octets = DERBytes.element(0x04, Array(signed.payload))
            let contents = DERBytes.element(
                0x30,
                DERBytes.element(6, ReceiptAlgorithm.data),
                DERBytes.element(0xA0, octets)
            )
            let content = DERBytes.element(
                0x30,
                version,
                DERBytes.element(0x31, digests ?? digest),
                contents,
                DERBytes.element(0xA0, certificates),
                tail,
                DERBytes.element(0x31, signers)
            )
            return DERBytes.element(
                0x30,
                DERBytes.element(6, ReceiptAlgorithm.signedData),
                DERBytes.element(0xA0, content)
            )
        }
        #expect(file(certificates: certificates, signers: plain) == signed.bytes)
        let attributes: [UInt8] = [0xA0, 2, 0x30, 0]
        let wrongSerial = DERBytes.element(0x30, Array(leaf.issuer), [2, 1, 7])
        let others: [([UInt8], Verdict)] =
            [
                (file(version: [2, 1, 3], certificates: certificates, signers: plain), .notAuthenticated),
                (file(digests: [], certificates: certificates, signers: plain), .notAuthenticated),
                (file(digests: digest + digest, certificates: certificates, signers: plain), .notAuthenticated),
                (file(certificates: certificates, tail: [0xA1, 0], signers: plain), .notAuthenticated),
                (file(certificates: certificates, tail: [0xA2, 0], signers: plain), .malformed),
                (file(certificates: certificates, signers: plain + plain), .malformed),
                (file(certificates: certificates, signers: []), .malformed),
                (file(certificates: [], signers: plain), .notAuthenticated),
            ]
            + [
                DERBytes.element(0x30, version, identifier, digest, attributes, rsa, signature),
                DERBytes.element(0x30, version, identifier, digest, rsa, signature, [0xA1, 2, 0x30, 0]),
                DERBytes.element(0x30, version, wrongSerial, digest, rsa, signature),
                DERBytes.element(0x30, version, [0x80, 1, 0], digest, rsa, signature),
                DERBytes.element(
                    0x30,
                    version,
                    identifier,
                    digest,
                    ReceiptAlgorithm.sha256.certificateSignature,
                    signature
                ),
                DERBytes.element(0x30, [2, 1, 3], identifier, digest, rsa, signature),
                DERBytes.element(0x30, [2, 2, 0, 1], identifier, digest, rsa, signature),
                DERBytes.element(
                    0x30,
                    version,
                    identifier,
                    DERBytes.element(0x30, Array(digest[2..<13])),
                    rsa,
                    signature
                ),
                DERBytes.element(
                    0x30,
                    version,
                    identifier,
                    digest,
                    rsa,
                    DERBytes.element(0x04, [0] + signed.signature)
                ),
            ].map { (file(certificates: certificates, signers: $0), .notAuthenticated) }
        for (index, (bytes, expected)) in others.enumerated() {
            #expect(verdict(bytes, verifier) == expected, "case \(index)")
        }
    }

    @Test("Floods of zeros, nested sets, open lengths, attributes or layers are rejected quickly")
    func floods() throws {
        let verifier = try ReceiptSample.verifier()
        let chain = try ReceiptSample.chain()
        let size = 10 << 20
        func repeated(_ unit: [UInt8], _ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(unit.count * count)
            for _ in 0..<count { bytes += unit }
            return bytes
        }
        let nested = repeated([0x31, 0x80], 2_000_000)
        let empty = DERBytes.element(0x30, [2, 1, 99, 2, 1, 1, 4, 0])
        var deep: [UInt8] = []
        for _ in 0..<200 { deep = DERBytes.element(0x31, deep) }
        let purchase = DERBytes.element(0x30, [2, 1, 17, 2, 1, 1], DERBytes.element(0x04, [0x31, 0]))
        let floods: [[UInt8]] = [
            repeated([0], size), nested, repeated([0x30, 0x80], 1_000_000), repeated([0x24, 0x80], 1_000_000),
            try chain.sign(payload: repeated([0], 5 << 20)), try chain.sign(payload: nested),
            try chain.sign(payload: DERBytes.element(0x31, repeated(empty, 200_000))),
            try chain.sign(payload: deep), try chain.sign(payload: DERBytes.element(0x31, deep)),
            try chain.sign(payload: [0x31, 0x80] + repeated(empty, 200_000)),
            try chain.sign(payload: DERBytes.element(0x31, repeated(purchase, 100_000))),
            try chain.sign(
                payload: DERBytes.element(0x31, DERBytes.element(0x30, [2, 1, 17, 2, 1, 1], DERBytes.element(4, deep)))
            ),
        ]
        for (index, bytes) in floods.enumerated() {
            var verdict = Verdict.valid
            let time = ContinuousClock().measure { verdict = self.verdict(bytes, verifier) }
            #expect(verdict == .malformed, "flood \(index)")
            #expect(time < .seconds(10), "flood \(index)")
        }
        #expect(throws: ReceiptRefusal.malformed(reason: "has \(size) bytes; the maximum is 8388608")) {
            try verifier.parse(floods[0])
        }
    }

    @Test("A receipt with more purchases than any customer has is rejected, and the maximum is accepted")
    func purchases() throws {
        let value = DERBytes.element(0x04, DERBytes.element(0x31, minimalPurchase()))
        let purchase = DERBytes.element(0x30, [2, 1, 17, 2, 1, 1], value)
        var empty = ReceiptSample.receipt
        empty.inApp = []
        let elements = Array(try AppReceiptTests.elements(empty.payload()).joined())
        func payload(_ count: Int) -> [UInt8] {
            DERBytes.element(0x31, elements, Array(repeatElement(purchase, count: count).joined()))
        }
        let limit = AppReceipt.maximumInApp
        #expect(try AppReceipt(payload: payload(limit)).inApp.count == limit)
        #expect(throws: ReceiptRefusal.malformed(reason: "contains more than \(limit) purchases")) {
            try AppReceipt(payload: payload(limit + 1))
        }
    }

    private func minimalPurchase() -> [UInt8] {
        func attribute(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
            DERBytes.element(0x30, [2, 2, 6, number, 2, 1, 1], DERBytes.element(0x04, value))
        }
        let date = DERBytes.element(0x16, Array("2026-01-01T00:00:00Z".utf8))
        return attribute(0xA5, [2, 1, 1]) + attribute(0xA6, [0x0C, 1, 0x61]) + attribute(0xA7, [0x0C, 1, 0x31])
            + attribute(0xA8, date)
    }
}
