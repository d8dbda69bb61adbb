import GRDB
import HTTPTypes
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
}
