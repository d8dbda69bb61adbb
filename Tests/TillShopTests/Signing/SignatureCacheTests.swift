import Testing
import TillCore
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("The signature cache")
struct SignatureCacheTests {
    private func shop(age: Int) async throws -> TestShop {
        var settings = Settings()
        settings.signatureAge = age
        return try await TestShop(selling: SampleCatalog.all, settings: settings)
    }

    private func signed(_ row: Transaction, _ test: TestShop, at now: Timestamp? = nil) throws -> SignedText {
        try test.shop.signed(row, environment: .sandbox, app: TestShop.bundleID, at: now ?? test.now)
    }

    @Test("Without a setting, each answer is signed again")
    func anew() async throws {
        let test = try await shop(age: 0)
        let row = try await test.buy("coins", by: "ann")
        #expect(try signed(row, test) != signed(row, test))
        #expect(test.shop.keys.signatures.signed == 0)
    }

    @Test("An unchanged transaction keeps its signature for the configured time, and no longer")
    func age() async throws {
        let test = try await shop(age: 60)
        let row = try await test.buy("coins", by: "ann")
        let first = try signed(row, test)
        test.advance(60_000)
        #expect(try signed(row, test) == first)
        test.advance(1)
        let second = try signed(row, test)
        #expect(second != first)
        // A time before the signature date does not return the cached signature.
        let earlier = test.now.advanced(milliseconds: -1)
        #expect(try signed(row, test, at: earlier) != second)
        #expect(test.shop.keys.signatures.signed == 3)
    }

    @Test("A change of the transaction, the chain or the payload profile requires a new signature")
    func changes() async throws {
        let test = try await shop(age: 3_600)
        var row = try await test.buy("coins", by: "ann")
        let first = try signed(row, test)
        row.appAccountToken = "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11"
        let second = try signed(row, test)
        #expect(second != first)
        #expect(try signed(row, test) == second)
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        try await test.shop.setup.updateRules(of: scope) { $0.payloadProfile = .minimal }
        let minimal = try signed(row, test)
        #expect(try minimal != second && signed(row, test) != minimal)
        try await test.shop.setup.updateRules(of: scope) { $0.payloadProfile = nil }
        #expect(try signed(row, test) == second)
        let certificates = CertificateStore(test.directory)
        _ = try certificates.root()
        _ = try await test.shop.keys.rotate(in: certificates, ocspURL: "http://localhost:8888/ocsp")
        #expect(try signed(row, test).header != second.header)
    }
}
