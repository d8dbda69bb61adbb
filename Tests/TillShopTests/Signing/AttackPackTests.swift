import Testing
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("The attack pack")
struct AttackPackTests {
    private func text(_ jws: String, _ key: String) throws -> String? {
        guard case .string(let text)? = try CompactJWS(jws, limit: 65_536).claims[key] else { return nil }
        return text
    }

    @Test("Each case has its name in the control API")
    func names() {
        let names = Attack.allCases.map(\.name)
        #expect(names == AttackCase.allCases.filter(names.contains))
        #expect(Set(names).union(ReceiptAttack.allCases.map(\.name)) == Set(AttackCase.allCases))
        #expect(Attack.allCases.filter { !$0.isRefused } == [.control, .replayed])
    }

    @Test("Each case about a purchase differs in exactly one thing from the valid purchase")
    func oneThing() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let product = try #require(SampleCatalog.all.first { $0.type == .consumable })
        let row = try await test.buy(product.id, by: "ann")
        let scope = AccountScope(environment: .sandbox, app: test.app.bundleID)
        let account = try #require(try await test.shop.storage.account(row.account))
        let pack = try AttackPack(test.shop, scope, about: (row, account))
        for attack in Attack.allCases where attack != .renewalInfo {
            let sample = try pack.sample(attack)
            let claims = try CompactJWS(sample.signedTransactionInfo, limit: 65_536).claims
            #expect(claims["transactionId"] == .string(row.id.wireForm))
            #expect((claims["bundleId"] == .string(test.app.bundleID)) == (attack != .otherApp))
            #expect((claims["environment"] == .string("Sandbox")) == (attack != .otherEnvironment))
            #expect((claims["productId"] == .string(product.id)) == (attack != .forged(.tamperedPayload)))
        }
    }

    @Test("Without a root certificate, forgeries and certificate claims are not available")
    func rootless() async throws {
        let test = try await TestShop()
        let shop = try await Shop(
            storage: test.shop.storage,
            chain: test.shop.signingChain,
            wallClock: { Timestamp(milliseconds: 0) }
        )
        #expect(shop.keys.authority.reply(to: [], at: 0) == nil)
        #expect(shop.keys.authority.certificates.isEmpty)
        #expect(throws: AttackRefused.self) {
            try AttackPack(shop, AccountScope(environment: .sandbox, app: test.app.bundleID), about: nil)
        }
        #expect(test.shop.keys.authority.certificates.map(\.certificate.part) == [.intermediate, .leaf])
    }

    @Test("The revocation state of a certificate survives a restart")
    func durable() async throws {
        let test = try await TestShop()
        let leaf = try #require(test.shop.keys.authority.certificates.map(\.certificate).last)
        let state = OCSPState.revoked(at: 1_767_225_600_000, reason: .superseded)
        try await test.shop.keys.authority.setState(state, of: [leaf])
        let shop = try await Shop(
            storage: test.shop.storage,
            chain: test.shop.signingChain,
            wallClock: { Timestamp(milliseconds: 0) }
        )
        try shop.keys.authority.open(try CertificateStore(test.directory).root(), chains: [test.shop.signingChain])
        #expect(shop.keys.authority.certificates.map(\.state) == [.good, state])
    }
}
