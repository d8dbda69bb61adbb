import AppStoreServer
import Testing
import TillTesting

@Suite("The client and the verifier of an app need no setup")
struct APIClientTests {
    @Test("The client reads the history of a purchase, and the verifier accepts its transactions")
    func history() async throws {
        try await TestedServer.withApp {
            let purchase = try await Till.app.customer("ann").buy("pro.month")
            try await Till.clock.advance("1w")

            let verifier = try Till.app.verifier()
            var offers: [OfferType?] = []
            for try await signed in try Till.app.apiClient().transactions(of: purchase.transactionId) {
                offers.append(try await verifier.verify(signed).payload.offerType?.known)
            }
            #expect(offers == [.introductory, nil])
            let device = try await verifier.verify(SignedTransaction(purchase.signedTransaction))
            #expect(device.payload.transactionId == purchase.transactionId)

            try await Till.app.customer("ann").refund(purchase.transactionId)
            let statuses = try await Till.app.apiClient().subscriptionStatuses(of: purchase.transactionId).value
            #expect(statuses.data.first?.lastTransactions.count == 1)
        }
    }

    @Test("Both environments have a client and a verifier")
    func production() async throws {
        try await Till.withApp(catalog: TestedServer.catalog, environment: .production, on: TestedServer.shared()) {
            let purchase = try await Till.app.customer("ann").buy("pro.month")
            let info = try await Till.app.apiClient().transactionInfo(purchase.transactionId).value
            let verified = try await Till.app.verifier().verify(info.signedTransactionInfo)
            #expect(verified.payload.environment == .production)
            try await Till.endpoint.expect(.subscribed)
            #expect(try Till.endpoint.refusals.isEmpty)
        }
    }

    @Test("The description of a key does not contain the private key")
    func secret() async throws {
        try await TestedServer.withApp {
            let app = try Till.app
            var dumped = ""
            dump(app.key, to: &dumped)
            #expect(app.key.privateKey.contains("PRIVATE KEY"))
            #expect(!"\(app) \(String(reflecting: app.key)) \(dumped)".contains("PRIVATE KEY"))
        }
    }
}
