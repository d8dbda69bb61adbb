import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillCore
import TillServer
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Checks that read-only routes write nothing and show the same state of an account: the state after the last run of
/// the ticker, which processes due events.
@Suite("Read-only routes")
struct ReaderTests {
    private static let month: Int64 = 31 * 86_400_000
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    /// The answers of all routes about a customer's only subscription.
    private struct RouteAnswers: Equatable {
        var status: Int
        var renewsOrRetries: Bool
        var rowsOfHistory: Int
        var latestExpiry: Int64
        var expiryInStatuses: Int64
        var receiptRows: Int
        var pendingRenewalIntent: String?
        var statusOfTransactionReceipt: Int
    }

    private static func payload(_ text: Any?) throws -> [String: Any] {
        let parts = try #require(text as? String).split(separator: ".")
        var base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        return try object(try #require(Data(base64Encoded: base64)))
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func get(_ test: TestShop, _ path: String) async throws -> [String: Any] {
        let api = test.appleAPI()
        let token = try test.token()
        let body = try await Application(router: api.router()).test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: [.authorization: "Bearer \(token)"]) { answer in
                #expect(answer.status == .ok, "\(path)")
                return Data(String(buffer: answer.body).utf8)
            }
        }
        return try object(body)
    }

    /// Requests all routes about one subscription.
    private static func read(_ test: TestShop, _ first: Transaction, _ receipt: [UInt8], _ single: String) async throws
        -> RouteAnswers
    {
        let id = first.id.wireForm
        let statuses = try await get(test, "/inApps/v1/subscriptions/\(id)")
        let groups = try #require(statuses["data"] as? [[String: Any]])
        let item = try #require((groups.first?["lastTransactions"] as? [[String: Any]])?.first)
        let info = try payload(item["signedRenewalInfo"])
        let history = try #require(
            try await get(test, "/inApps/v2/history/\(id)")["signedTransactions"] as? [String]
        )
        let expiries = try history.compactMap { try payload($0)["expiresDate"] as? Int64 }
        _ = try await get(test, "/inApps/v1/transactions/\(id)")
        _ = try await get(test, "/inApps/v2/refund/lookup/\(id)")
        if let order = first.order { _ = try await get(test, "/inApps/v1/lookup/\(order.wireForm)") }

        let answer = try await test.shop.verifyReceipt(request(Base64.encode(receipt)), in: .sandbox)
        let receiptAnswer = try object(Data(answer.body))
        let pending = try #require((receiptAnswer["pending_renewal_info"] as? [[String: Any]])?.first)
        let one = try await test.shop.verifyReceipt(request(Base64.encode(Array(single.utf8))), in: .sandbox)
        return RouteAnswers(
            status: try #require(item["status"] as? Int),
            renewsOrRetries: info["expirationIntent"] == nil,
            rowsOfHistory: history.count,
            latestExpiry: expiries.max() ?? 0,
            expiryInStatuses: try #require(try payload(item["signedTransactionInfo"])["expiresDate"] as? Int64),
            receiptRows: (receiptAnswer["latest_receipt_info"] as? [[String: Any]])?.count ?? 0,
            pendingRenewalIntent: pending["expiration_intent"] as? String,
            statusOfTransactionReceipt: one.status
        )
    }

    private static func request(_ data: String) -> VerifyReceiptRequest {
        VerifyReceiptRequest(receiptData: data, password: "secret", excludesOldTransactions: false)
    }

    private static func account(_ test: TestShop) async throws -> Account {
        return try #require(try await test.sandbox.account(of: "ann"))
    }

    @Test(
        "Statuses, history and receipts agree while the ticker is behind, and reading writes nothing",
        arguments: [false, true]
    )
    func agree(isCancelled: Bool) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let ticker = Ticker(test.shop)
        try await test.shop.setup.setSharedSecret("secret", of: test.app)
        let first = try await test.buy("pro", by: "ann")
        if isCancelled { try await test.sandbox.cancelRenewal(of: "ann") }
        let receipt = try #require(try await test.shop.appReceipt(of: try await Self.account(test)))
        let single = try await test.shop.transactionReceipt(of: first, try await Self.account(test))
        let before = try await Self.account(test)
        // The trial has ended, but the ticker has not run.
        test.advance(Self.month)
        let behind = try await Self.read(test, first, receipt, single)
        #expect(try await Self.account(test).version == before.version)
        #expect(behind.status == 1 && behind.rowsOfHistory == 1 && behind.receiptRows == 1)
        #expect(behind.latestExpiry == behind.expiryInStatuses)
        #expect(behind.renewsOrRetries && behind.pendingRenewalIntent == nil)
        #expect(behind.statusOfTransactionReceipt == 0)

        for _ in 0..<1_000 where try await Self.account(test).version == before.version {
            await ticker.tick()
            try await Task.sleep(for: .milliseconds(10))
        }
        let after = try await Self.read(test, first, receipt, single)
        #expect(after.status == (isCancelled ? 2 : 1))
        #expect(after.rowsOfHistory == (isCancelled ? 1 : 2) && after.receiptRows == after.rowsOfHistory)
        #expect(after.latestExpiry == after.expiryInStatuses)
        #expect(after.renewsOrRetries == !isCancelled && (after.pendingRenewalIntent == "1") == isCancelled)
        #expect(after.statusOfTransactionReceipt == (isCancelled ? 21_006 : 0))
    }

    @Test("A family member's shared transaction has the state of the purchase while the ticker is behind")
    func family() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        try await test.sandbox.cancelRenewal(of: "ann")
        try await test.sandbox.join("bob", familyOf: "ann")
        let member = try #require(try await test.sandbox.account(of: "bob"))
        #expect(member.sharedSubscriptions.count == 1)
        test.advance(Self.month)
        let instant = try await test.shop.instantOfState(of: member)
        #expect(instant < test.now && member.sharedSubscriptions.first?.status == .active)
    }

    @Test("The ticker reports how far behind it is, and nothing when it has processed everything")
    func lag() async throws {
        let figures = PrometheusFigures()
        let test = try await TestShop(selling: SampleCatalog.all)
        let ticker = Ticker(test.shop, metrics: figures)
        #expect(figures.text().contains("# TYPE till_clock_lag_seconds gauge\ntill_clock_lag_seconds 0"))
        let bought = try await test.buy("pro", by: "ann")
        let end = try #require(bought.expiresDate)
        test.advance(end.milliseconds - test.now.milliseconds + 90_000)
        await ticker.tick()
        let text = figures.text()
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("till_clock_lag_seconds ") })
        let lag = try #require(line.split(separator: " ").last.flatMap { Double($0) })
        // A renewal is charged up to one day before the period ends.
        #expect(lag >= 90 && lag <= 90 + 86_400)
        for _ in 0..<1_000 where !figures.text().contains("till_clock_lag_seconds 0") {
            try await Task.sleep(for: .milliseconds(10))
            await ticker.tick()
        }
        #expect(figures.text().contains("till_clock_lag_seconds 0"))
        #expect(try await Self.account(test).rowCount == 2)
    }
}
