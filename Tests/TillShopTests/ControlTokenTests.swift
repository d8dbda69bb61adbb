import Testing
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("Control API tokens")
struct ControlTokenTests {
    @Test(
        "Every server of a store accepts a new token at once, and rejects a revoked token at once",
        arguments: TestEngine.allCases
    )
    func everywhere(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine)
        let other = try await Shop(
            storage: test.shop.storage,
            chain: test.shop.signingChain,
            wallClock: { Timestamp(milliseconds: 0) }
        )
        let (token, secret) = try await test.shop.tokens.create("ci", scope: .administer)
        #expect(secret.exposed.utf8.count == 48)
        #expect(try await other.tokens.token(secret.exposed) != nil)
        #expect(try await other.tokens.all() == [token])
        #expect(try await other.tokens.token(secret.exposed.dropLast() + "!") == nil)
        #expect(try await other.tokens.token("") == nil)
        let (_, second) = try await other.tokens.create("deploy", scope: .administer)
        try await other.tokens.revoke("ci")
        #expect(try await test.shop.tokens.token(secret.exposed) == nil)
        #expect(try await test.shop.tokens.token(second.exposed) != nil)
        let (_, third) = try await test.shop.tokens.create("ci", scope: .administer)
        #expect(third.exposed != secret.exposed)
        #expect(try await test.shop.tokens.token(secret.exposed) == nil)
    }

    @Test("The store keeps a digest instead of the token, and a restore does not restore a revoked token")
    func kept() async throws {
        let test = try await TestShop()
        let (_, secret) = try await test.shop.tokens.create("ci", scope: .administer)
        let kept = try await test.shop.storage.documents(.token)
        #expect(kept.count == 1 && !kept[0].body.contains(secret.exposed.dropFirst(5)))
        _ = try await test.shop.snapshots.save("before", of: nil)
        try await test.shop.tokens.revoke("ci")
        let (_, later) = try await test.shop.tokens.create("later", scope: .administer)
        _ = try await test.shop.restoreSnapshot("before")
        #expect(try await test.shop.tokens.token(secret.exposed) == nil)
        try await test.shop.reset(app: nil, .everything)
        #expect(try await test.shop.tokens.token(later.exposed) != nil)
    }

    @Test("An invalid, duplicate or unknown token name is rejected, and so is one token too many")
    func refusals() async throws {
        let test = try await TestShop()
        for name in ["", ".ci", "c i", String(repeating: "x", count: 65)] {
            await #expect(throws: TokenRefused.badName(name)) {
                try await test.shop.tokens.create(name, scope: .read)
            }
        }
        for number in 1...ControlTokens.maxTokens {
            _ = try await test.shop.tokens.create("t\(number)", scope: .administer)
        }
        await #expect(throws: TokenRefused.exists("t1")) {
            try await test.shop.tokens.create("t1", scope: .administer)
        }
        await #expect(throws: TokenRefused.tooMany(100)) {
            try await test.shop.tokens.create("more", scope: .administer)
        }
        await #expect(throws: TokenRefused.self) { try await test.shop.tokens.revoke("unknown") }
    }
}
