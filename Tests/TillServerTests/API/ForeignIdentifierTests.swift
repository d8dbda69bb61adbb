import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage
import TillTestSupport

/// An imported customer keeps the identifiers that another store gave out.
@Suite("Identifiers of another store")
struct ForeignIdentifierTests {
    private static let transaction = "300001234567890"
    private static let order = "MVXIMPORTED"

    /// Stores the identifiers, as an import of customers will.
    private static func know(_ bought: TransactionInfo, _ server: AppServer) async throws {
        let storage = server.control.test.shop.storage
        let id = try #require(Int64(bought.transactionId))
        let row = try #require(try await storage.transaction(TransactionID(id)))
        let scope = AccountScope(environment: server.environment, app: TestShop.bundleID)
        let order = try #require(row.order)
        let change = Change(foreignIdentifiers: [
            ForeignIdentifier(.transaction, transaction, in: scope, of: row.account, own: id),
            ForeignIdentifier(.order, Self.order, in: scope, of: row.account, own: order.number),
        ])
        try await storage.commit([change])[0].get()
    }

    @Test("Every route that takes an id finds the customer by the id of another store")
    func routes() async throws {
        try await AppServer.run(in: .production) { server in
            let bought = try await server.buy("pro", by: "ann")
            let own = bought.transactionId
            #expect(try await server.apple.get("/inApps/v1/transactions/\(Self.transaction)").status == 404)
            try await Self.know(bought, server)
            for path in [
                "/inApps/v2/history/ID", "/inApps/v1/subscriptions/ID", "/inApps/v2/refund/lookup/ID",
                "/inApps/v1/refund/lookup/ID", "/inApps/v1/transactions/ID",
                "/inApps/v1/transactions/appTransactions/ID",
            ] {
                let answers = [
                    try await server.apple.get(path.replacing("ID", with: own)),
                    try await server.apple.get(path.replacing("ID", with: Self.transaction)),
                ]
                #expect(answers.allSatisfy { $0.status == 200 }, "\(path)")
                #expect(try answers[0].json.members.map(\.key) == (try answers[1].json.members.map(\.key)), "\(path)")
            }
            let info = try await server.apple.json("/inApps/v1/transactions/\(Self.transaction)")
            let signed = try server.control.payload(of: info.text("signedTransactionInfo"))
            #expect(signed.text("transactionId") == own)
            let order = try await server.apple.json("/inApps/v1/lookup/\(Self.order)")
            #expect(order["status"] == .number("0") && order["signedTransactions"]?.elements.count == 1)
            try await server.finish(Self.transaction)
            // The identifiers are those of one app and environment.
            let sandbox = AppleRoutes(test: server.control.test, environment: .sandbox)
            #expect(try await sandbox.get("/inApps/v1/transactions/\(Self.transaction)").status == 404)
        }
    }
}
