import Crypto
import CryptoExtras
import Foundation
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTesting

/// App receipts minted a second, and calls of verifyReceipt, beside bare RSA operations. All on one core: one after
/// another.
struct ReceiptsBench {
    let rounds: Int
    private static let sizes = [1, 100, 1_000]

    func run() async throws -> [Figure] {
        let test = try await TestShop(selling: SampleProducts.all)
        for size in Self.sizes {
            for number in 0..<size { try await test.buy(number == 0 ? "pro" : "coins", by: "customer-\(size)") }
        }
        try await test.shop.setSharedSecret("secret", of: test.app)
        var series = Series()
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        for _ in 0..<rounds {
            let signing = try await Self.rate(500) { _ = try Self.sign(key) }
            let signature = try Self.sign(key)
            let verifying = try await Self.rate(2_000) { try Self.verify(signature, key.publicKey) }
            series.note("bare RSA-2048 signatures, one core", "1/s", signing)
            for size in Self.sizes {
                let count = size > 100 ? 50 : 200
                let account = try await Self.account(of: "customer-\(size)", test)
                let minted = try await Self.rate(count) {
                    // Another device each time: the same receipt would not be signed again.
                    _ = try await test.shop.appReceipt(of: account, device: UUID())
                }
                series.note("receipts of \(size) transactions", "1/s", minted)
                series.note("  share of RSA in a receipt of \(size)", "", minted / signing)
                let calls = try await Self.verifyReceipt(test, account, count: count)
                series.note("verifyReceipt, \(size) transactions", "1/s", calls)
                series.note("  share of RSA in a call of \(size)", "", calls / signing + calls / verifying)
            }
        }
        return series.figures
    }

    /// Calls a second, each with the receipt of another device, which were made before.
    private static func verifyReceipt(_ test: TestShop, _ account: Account, count: Int) async throws -> Double {
        var receipts: [String] = []
        for _ in 0..<count {
            receipts.append(Base64.encode(try await test.shop.appReceipt(of: account, device: UUID()) ?? []))
        }
        var rest = receipts[...]
        return try await rate(count) {
            let request = VerifyReceiptRequest(
                receiptData: rest.removeFirst(),
                password: "secret",
                excludesOldTransactions: false
            )
            let answer = try await test.shop.verifyReceipt(request, in: .sandbox)
            precondition(answer.status == 0, "status \(answer.status): \(answer.explanation ?? "")")
        }
    }

    private static func account(of customer: String, _ test: TestShop) async throws -> Account {
        let found = try await test.shop.storage.account(realm: .sandbox, app: TestShop.bundleID, customer: customer)
        guard let found else { preconditionFailure("\(customer) has no account") }
        return found
    }

    private static func rate(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
        Double(count) / (try await seconds { for _ in 0..<count { try await body() } })
    }

    private static let digest = SHA256.hash(data: Data(repeating: 7, count: 1_024))

    private static func sign(_ key: _RSA.Signing.PrivateKey) throws -> _RSA.Signing.RSASignature {
        try key.signature(for: digest, padding: .insecurePKCS1v1_5)
    }

    private static func verify(_ signature: _RSA.Signing.RSASignature, _ key: _RSA.Signing.PublicKey) throws {
        precondition(key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5))
    }
}
