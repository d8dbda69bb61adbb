import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport

/// Checks the answers of the control API when stored data is unreadable.
@Suite("Control API with unreadable data")
struct UnreadableDataTests {
    private let control = ControlTests()
    private static let root = "/v1/apps/com.example.shop/sandbox"

    private func shop(_ sql: String) async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all)
        for customer in ["ann", "bob", "cat"] {
            try await test.buy("coins", by: customer)
            try await test.sandbox.requestRefund(by: customer, because: .other)
        }
        let client = try DatabaseQueue(path: test.directory.database)
        try await client.write { try $0.execute(sql: sql) }
        try client.close()
        return test
    }

    @Test("A list contains all other customers, and names the damaged account")
    func lists() async throws {
        let test = try await shop("UPDATE accounts SET state = '{' WHERE customer = 'bob'")
        try await control.withControl(test) { client in
            for path in ["customers", "refund-requests"] {
                let list = try await control.send(client, .get, "\(Self.root)/\(path)")
                #expect(list.status == 200, "\(list.body)")
                for name in ["ann", "cat"] { #expect(list.body.contains("\"customer\":\"\(name)\""), "\(list.body)") }
                #expect(list.body.contains("(bob) is damaged: its state cannot be read"), "\(list.body)")
            }
            let notifications = try await control.send(client, .get, "\(Self.root)/notifications")
            #expect(notifications.status == 200, "\(notifications.body)")
            for name in ["ann", "bob", "cat"] { #expect(notifications.body.contains("\"customer\":\"\(name)\"")) }
            let bob = try await control.send(client, .get, "\(Self.root)/customers/bob")
            #expect(bob.status == 500 && bob.body.contains("damaged_account"), "\(bob.body)")
        }
    }

    @Test("The answer about a damaged transaction names the damage and the remedy")
    func rows() async throws {
        let test = try await shop("UPDATE outbox SET signed_date = 'abc'")
        try await control.withControl(test) { client in
            let list = try await control.send(client, .get, "\(Self.root)/notifications")
            #expect(list.status == 500 && list.body.contains("\"damaged_row\""), "\(list.body)")
            #expect(list.body.contains("signed_date") && list.body.contains("till doctor"), "\(list.body)")
        }
    }

    @Test("A receipt of a damaged account is counted with the status 21009, which its answer has")
    func receipt() async throws {
        let (test, figures) = (try await TestShop(selling: SampleCatalog.all), PrometheusFigures())
        try await test.buy("coins", by: "ann")
        let account = try #require(try await test.sandbox.account(of: "ann"))
        let receipt = try #require(try await test.shop.appReceipt(of: account))
        let client = try DatabaseQueue(path: test.directory.database)
        try await client.write { try $0.execute(sql: "UPDATE accounts SET state = '{'") }
        try client.close()
        let api = AppleAPI(shop: test.shop, environment: .sandbox, meter: RequestMeter(factory: figures))
        let body = "{\"receipt-data\":\"\(Data(receipt).base64EncodedString())\"}"
        try await Application(router: api.router()).test(.router) { client in
            let answer = try await client.execute(
                uri: "/verifyReceipt",
                method: .post,
                body: ByteBuffer(string: body)
            ) { String(buffer: $0.body) }
            #expect(answer.contains("\"status\":21009"), "\(answer)")
        }
        #expect(figures.text().contains("till_receipts_total{status=\"21009\"} 1\n"))
        #expect(figures.text().contains("till_receipts_total{status=\"0\"} 0\n"))
    }
}
