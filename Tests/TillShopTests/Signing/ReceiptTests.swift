import Testing
import TillCore
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// Checks the contents of receipts, and how often receipts are signed.
@Suite("App receipts of a shop")
struct ReceiptTests {
    private func account(_ test: TestShop) async throws -> Account {
        try #require(try await test.sandbox.account(of: "ann"))
    }

    private func products(_ bytes: [UInt8]) throws -> [String] {
        try SignedReceipt(bytes).receipt.inApp.map(\.productID).sorted()
    }

    @Test("An unchanged receipt is signed at most once a second; a new purchase is included at once")
    func cache() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        let first = try #require(try await test.shop.appReceipt(of: try await account(test)))
        for _ in 0..<5 {
            let again = try await test.shop.appReceipt(of: try await account(test))
            #expect(again == first)
        }
        #expect(test.shop.keys.signedReceipts.signed == 1)
        try await test.buy("coins", by: "ann")
        let second = try #require(try await test.shop.appReceipt(of: try await account(test)))
        #expect(try products(first) == ["pro"])
        #expect(try products(second) == ["coins", "pro"])
        #expect(test.shop.keys.signedReceipts.signed == 2)
        test.advance(1_000)
        let third = try #require(try await test.shop.appReceipt(of: try await account(test)))
        #expect(third != second)
        #expect(try products(third) == ["coins", "pro"])
        #expect(test.shop.keys.signedReceipts.signed == 3)
    }

    @Test("Calls of verifyReceipt within a second return the same latest_receipt for the same receipt")
    func verify() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        try await test.shop.setup.setSharedSecret("secret", of: test.app)
        let receipt = try #require(try await test.shop.appReceipt(of: try await account(test)))
        test.advance(1_000)
        let request = VerifyReceiptRequest(
            receiptData: Base64.encode(receipt),
            password: "secret",
            excludesOldTransactions: false
        )
        var answers: Set<[UInt8]> = []
        for _ in 0..<5 {
            let answer = try await test.shop.verifyReceipt(request, in: .sandbox)
            #expect(answer.status == 0)
            answers.insert(answer.body)
        }
        #expect(answers.count == 1 && test.shop.keys.signedReceipts.signed == 2)
    }

    @Test("Transactions are sorted by purchase date, newest first, also if one was charged ahead and replaced")
    func order() async throws {
        let test = try await TestShop(selling: SampleCatalog.all + [.plan("max", level: 0, at: 9_990)])
        let clock = ClockName(AccountScope(environment: .production, app: TestShop.bundleID))
        _ = try await test.shop.setClock(clock, .freeze(at: test.now))
        let trial = try await test.buy("pro", by: "ann", in: .production)
        // The month after the trial is charged one day ahead.
        let ahead = try #require(trial.expiresDate).advanced(milliseconds: -3_600_000)
        _ = try await test.shop.advance(clock, .to(ahead))
        try await test.buy("max", by: "ann", in: .production)
        let account = try #require(try await test.production.account(of: "ann"))
        let rows = try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 100)).rows
        let shown = ReceiptRows(rows, of: account).rows
        #expect(shown.map(\.productID) == ["pro", "max", "pro"])
        #expect(shown.map(\.isUpgraded) == [true, false, true])
        let dates = shown.map(\.purchaseDate)
        #expect(dates == dates.sorted(by: >))
        // Even if few transactions are shown, the current one is among them.
        #expect(
            ReceiptRows(rows, of: account, atMost: 1).rows.map(\.id)
                == account.subscriptions.map(\.latestTransaction.id)
        )
    }

    @Test("The receipts of a customer with many consumables still contain the subscription")
    func crowded() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let subscription = try await test.buy("pro", by: "ann")
        for _ in 0..<10 {
            test.advance(1_000)
            try await test.buy("coins", by: "ann")
        }
        let account = try await account(test)
        let rows = try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 100)).rows
        let shown = ReceiptRows(rows, of: account, atMost: 3).rows
        #expect(shown.map(\.productID) == ["coins", "coins", "pro"] && shown.last?.id == subscription.id)
        #expect(ReceiptRows(rows, of: account).rows.count == 11)
    }
}
