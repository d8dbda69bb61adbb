import Crypto
import Foundation
import Testing

@testable import TillSigning

@Suite("Signatures of promotional offers, original format")
struct PromotionalOfferSignatureTests {
    static let now: Int64 = 1_767_225_600_000
    let privateKey = P256.Signing.PrivateKey()

    private var key: VerificationKey { VerificationKey(privateKey.publicKey) }

    private func offer(
        product: String = "pro.monthly",
        user: String = "9A6F1C3E-1111-4222-8333-ABCDEFABCDEF",
        nonce: String = "0F8FAD5B-D9CB-469F-A165-70867728950E",
        timestamp: Int64 = now
    ) -> PromotionalOfferSignature {
        PromotionalOfferSignature(
            bundleID: "com.example.app",
            keyID: "ABCDEF1234",
            productID: product,
            offerID: "spring",
            applicationUsername: user,
            nonce: nonce,
            timestamp: timestamp
        )
    }

    /// Signs according to the documented format, like the official libraries, without the type that this suite tests.
    private func signature(user: String, nonce: String, timestamp: Int64 = now) throws -> String {
        let text =
            "com.example.app\u{2063}ABCDEF1234\u{2063}pro.monthly\u{2063}spring\u{2063}\(user)\u{2063}\(nonce)"
            + "\u{2063}\(timestamp)"
        return try privateKey.signature(for: Data(text.utf8)).derRepresentation.base64EncodedString()
    }

    private func refusal(
        _ offer: PromotionalOfferSignature,
        _ signature: String,
        now: Int64 = now
    ) -> OfferSignatureRefusal? {
        do {
            try offer.verify(signature, key: key, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("A signature over the lower-case values is accepted, however the app writes the UUIDs")
    func accepted() throws {
        let made = try signature(
            user: "9a6f1c3e-1111-4222-8333-abcdefabcdef",
            nonce: "0f8fad5b-d9cb-469f-a165-70867728950e"
        )
        #expect(refusal(offer(), made) == nil)
        #expect(refusal(offer(nonce: "0f8fad5b-d9cb-469f-a165-70867728950e"), made) == nil)
        let anonymous = try signature(user: "", nonce: "0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(refusal(offer(user: ""), anonymous) == nil)
    }

    @Test("A signature does not match another product, customer, nonce, time or key")
    func misfits() throws {
        let made = try signature(
            user: "9a6f1c3e-1111-4222-8333-abcdefabcdef",
            nonce: "0f8fad5b-d9cb-469f-a165-70867728950e"
        )
        let bad = OfferSignatureRefusal.badSignature(keyID: "ABCDEF1234")
        #expect(refusal(offer(product: "pro.yearly"), made) == bad)
        #expect(refusal(offer(user: ""), made) == bad)
        #expect(refusal(offer(nonce: UUID().uuidString), made) == bad)
        #expect(refusal(offer(timestamp: Self.now - 1), made) == bad)
        #expect(throws: bad) { try offer().verify(made, key: APIKeyPair.make().publicKey, now: Self.now) }
    }

    @Test("A signature in another encoding, or with a nonce that is not a UUID, is rejected")
    func encodings() throws {
        let made = try signature(user: "", nonce: "0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(refusal(offer(user: ""), made + "\n") == .notBase64)
        let raw = Data(repeating: 1, count: 64).base64EncodedString()
        #expect(refusal(offer(user: ""), raw) == .badSignature(keyID: "ABCDEF1234"))
        #expect(refusal(offer(nonce: "once"), made) == .nonceNotUUID("once"))
    }

    @Test("A signature is valid for 24 hours, and its timestamp may be a minute in the future")
    func time() throws {
        let made = try signature(user: "", nonce: "0f8fad5b-d9cb-469f-a165-70867728950e")
        let offer = offer(user: "")
        #expect(refusal(offer, made, now: Self.now + 86_400_000) == nil)
        #expect(refusal(offer, made, now: Self.now + 86_401_000) == .expired(seconds: 1))
        #expect(refusal(offer, made, now: Self.now - 60_000) == nil)
        #expect(refusal(offer, made, now: Self.now - 61_000) == .issuedInFuture(seconds: 61))
    }

    @Test("A timestamp at a limit of the number type causes no crash", arguments: [Int64.min, -1, 0, .max])
    func extremes(timestamp: Int64) throws {
        let made = try signature(user: "", nonce: "0f8fad5b-d9cb-469f-a165-70867728950e", timestamp: timestamp)
        let refused = try #require(refusal(offer(user: "", timestamp: timestamp), made))
        #expect(!refused.explanation.isEmpty)
    }
}
