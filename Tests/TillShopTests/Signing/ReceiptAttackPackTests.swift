import Testing
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("Receipts of the attack pack")
struct ReceiptAttackPackTests {
    private func answer(_ receipt: String, _ test: TestShop, in environment: StoreEnvironment) async throws
        -> VerifyReceiptAnswer
    {
        let request = VerifyReceiptRequest(receiptData: receipt, password: nil, excludesOldTransactions: false)
        return try await test.shop.verifyReceipt(request, in: environment)
    }

    @Test("Each case has its name in the control API")
    func names() {
        let names = ReceiptAttack.allCases.map(\.name)
        #expect(names == AttackCase.allCases.filter(names.contains))
    }

    @Test("verifyReceipt answers with the status of each case, in either environment")
    func statuses() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        for environment in StoreEnvironment.allCases {
            let scope = AccountScope(environment: environment, app: TestShop.bundleID)
            let row = try await test.buy("coins", by: "ann", in: environment)
            let account = try #require(try await test.shop.storage.account(row.account))
            for purchase in [nil, (row, account)] as [(row: Transaction, account: Account)?] {
                let pack = try await ReceiptAttackPack(test.shop, scope, about: purchase)
                for attack in ReceiptAttack.allCases {
                    let sample = try pack.sample(attack)
                    let answer = try await answer(sample.receipt, test, in: environment)
                    #expect(answer.status == sample.status, "\(attack.name): \(answer.explanation ?? "")")
                    #expect(!attack.isRefused || answer.status != 0)
                }
            }
        }
    }

    @Test("Each forged receipt is rejected for the one thing that is wrong with it")
    func reasons() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let pack = try await ReceiptAttackPack(
            test.shop,
            AccountScope(environment: .sandbox, app: TestShop.bundleID),
            about: nil
        )
        let words: [ReceiptForgery: String] = [
            .wrongRoot: "a root certificate that is not trusted",
            .leafWithoutMarker: "leaf certificate lacks the marker",
            .intermediateWithoutMarker: "intermediate certificate lacks the marker",
            .expiredLeaf: "certificates were not valid", .leafNotYetValid: "certificates were not valid",
            .tamperedPayload: "changed after it was signed", .tamperedSignature: "changed after it was signed",
            .truncated: "", .trailingBytes: "",
        ]
        for forgery in ReceiptForgery.allCases {
            let sample = try pack.sample(.forged(forgery))
            let explanation = try await answer(sample.receipt, test, in: .sandbox).explanation ?? ""
            let word = try #require(words[forgery])
            #expect(explanation.contains(word) || word.isEmpty, "\(forgery): \(explanation)")
        }
    }

    @Test("Only a receipt of another device, or with another app's hash, has a wrong device hash")
    func hashes() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let pack = try await ReceiptAttackPack(
            test.shop,
            AccountScope(environment: .sandbox, app: TestShop.bundleID),
            about: nil
        )
        let readable = ReceiptAttack.allCases.filter {
            switch $0 {
            case .transactionControl, .forgedTransaction, .forged(.truncated), .forged(.trailingBytes): false
            default: true
            }
        }
        for attack in readable {
            let sample = try pack.sample(attack)
            let receipt = try SignedReceipt(try #require(Base64.decode(sample.receipt))).receipt
            let hex = sample.deviceID.filter { $0 != "-" }
            let guid = stride(from: 0, to: 32, by: 2).compactMap {
                UInt8(hex.dropFirst($0).prefix(2), radix: 16)
            }
            #expect(guid.count == 16)
            #expect(receipt.isFor(guid: guid) == ![.otherDevice, .otherAppsHash].contains(attack), "\(attack.name)")
            #expect((receipt.bundleID == TestShop.bundleID) == (attack != .otherApp))
        }
    }
}
