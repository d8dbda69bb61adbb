import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole
@testable import TillSQLite

/// A history call asks for the ids of other servers only if no transaction of Till's has the id.
@Suite("The cost of a history call does not depend on imported customers")
struct HistoryCostTests {
    private static let app = AppEnvironment(TestShop.bundleID)

    /// The answers about a customer with one transaction.
    private static func document(_ id: Int64) -> String {
        """
        {"answers": [{
            "bundleId": "\(TestShop.bundleID)", "hasMore": false,
            "signedTransactions": [{
                "transactionId": "\(id)", "originalTransactionId": "\(id)", "bundleId": "\(TestShop.bundleID)",
                "environment": "Sandbox", "productId": "map", "type": "Non-Consumable",
                "purchaseDate": 1767225600000, "signedDate": 1767225600000, "storefront": "USA"
            }]
        }]}
        """
    }

    /// The statements of a history call that read data of customers. The request log is written at any time.
    private static func reads(of id: String, _ test: TestShop, _ counter: StepCounter) async throws -> Set<String> {
        let token = try test.token()
        // The first call prepares the statements, the second one is counted.
        for _ in 0..<2 {
            _ = counter.take()
            try await Application(router: test.appleAPI().router()).test(.router) { client in
                let headers: HTTPFields = [.authorization: "Bearer \(token)"]
                let answer = try await client.execute(uri: "/inApps/v2/history/\(id)", method: .get, headers: headers)
                #expect(answer.status == .ok)
            }
        }
        return Set(counter.take().keys).filter { statement in
            ["accounts", "ledger", "foreign_identifiers"].contains { statement.contains("FROM \($0)") }
        }
    }

    @Test("A customer's history needs the same statements with imports and without")
    func reads() async throws {
        let site = try TestConsole(try await TestShop(selling: [.coins]))
        let storage = try #require(site.test.shop.storage as? SQLiteStorage)
        let bought = try await site.test.buy("coins", by: "ann").id.wireForm
        let counter = try await StepCounter(storage)
        // An import creates a customer clock. With any such clock, a call reads the account, which names its clock.
        let start = Timestamp(milliseconds: 1_767_225_600_000)
        _ = try await site.console.control.send(CreateClock(app: Self.app, name: "spring", at: start))
        let before = try await Self.reads(of: bought, site.test, counter)
        #expect(!before.isEmpty && !before.contains { $0.contains("foreign_identifiers") })
        for number in 0..<20 as Range<Int64> {
            _ = try await site.console.control.perform(
                ImportCustomer.operationID,
                ["bundleId": TestShop.bundleID, "environment": "sandbox", "customer": "zoe\(number)"],
                document: Array(Self.document(2_000_000_912_345_678 + number).utf8)
            )
        }
        let after = try await Self.reads(of: bought, site.test, counter)
        #expect(after == before, "\(after)\n\(before)")
        // The call for an imported customer looks up the id of the source.
        let imported = try await Self.reads(of: "2000000912345678", site.test, counter)
        #expect(imported.subtracting(before).count == 1, "\(imported.subtracting(before))")
        #expect(imported.subtracting(before).first?.contains("foreign_identifiers") == true)
    }
}
