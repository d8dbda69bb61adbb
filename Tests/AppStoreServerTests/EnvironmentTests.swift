import Testing

@testable import AppStoreServer

/// Which servers are asked.
@Suite("Environments")
struct EnvironmentTests {
    /// A server whose production and sandbox answer differently.
    private func servers(production: TransportResponse, sandbox: TransportResponse) -> FakeServer {
        FakeServer { request, _, _ in
            switch request.url.split(separator: "/")[1] {
            case "api.storekit.apple.com", "buy.itunes.apple.com": production
            default: sandbox
            }
        }
    }

    private func receipts(_ server: FakeServer, _ environment: ServerEnvironment = .automatic) -> VerifyReceiptClient {
        VerifyReceiptClient(
            environment: environment,
            options: ClientOptions(),
            transport: server,
            time: server.time
        )
    }

    @Test("Automatic asks the sandbox about what production does not know", arguments: [4_040_010, 4_040_005])
    func automatic(code: Int) async throws {
        let server = servers(production: .error(code), sandbox: .transactionInfo)
        let answer = try await server.client(.automatic).transactionInfo("1")
        #expect(answer.server.environment == .sandbox && server.requests.count == 2)
        #expect(server.requests[1].url == "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/1")
    }

    @Test("Automatic asks only production if it knows the transaction, or if another error occurs")
    func production() async throws {
        let known = servers(production: .transactionInfo, sandbox: .error(4_040_010))
        #expect(try await known.client(.automatic).transactionInfo("1").server == .production)
        #expect(known.requests.count == 1)
        for response in [TransportResponse.error(4_040_019), .error(4_000_006), TransportResponse(status: 401)] {
            let server = servers(production: response, sandbox: .transactionInfo)
            let error = try await failure { try await server.client(.automatic).appTransactionInfo(of: "1") }
            #expect(error?.server == .production && server.requests.count == 1)
        }
    }

    @Test("The error of a transaction that neither environment knows is that of the sandbox")
    func nowhere() async throws {
        let server = servers(production: .error(4_040_010), sandbox: .error(4_040_010))
        let error = try await failure { try await server.client(.automatic).finishTransaction("1") }
        #expect(error?.server == .sandbox && error?.code == .transactionIdNotFound && server.requests.count == 2)
    }

    @Test("Calls that are not about a transaction go to production only, and to the sandbox if it is named")
    func app() async throws {
        let server = servers(production: .error(4_040_010), sandbox: .json(#"{"testNotificationToken":"t"}"#))
        let client = try server.client(.automatic)
        #expect(try await failure { try await client.requestTestNotification() }?.server == .production)
        #expect(try await client.at(.sandbox).requestTestNotification().server == .sandbox)
    }

    @Test("Automatic works with the two environments of another server")
    func custom() async throws {
        let environment = ServerEnvironment.automatic(production: "http://till:8888/", sandbox: "http://till:8889")
        let server = FakeServer { request, _, _ in
            request.url.hasPrefix("http://till:8888/inApps") ? .error(4_040_010) : .transactionInfo
        }
        let answer = try await server.client(environment).transactionInfo("1")
        #expect(answer.server.environment == .sandbox && answer.server.url == "http://till:8889")
    }

    // MARK: verifyReceipt

    @Test("A receipt of the sandbox is sent to the sandbox after 21007, without a token")
    func receipt() async throws {
        let valid = #"{"status":0,"environment":"Sandbox","receipt":{"bundle_id":"com.example.shop","in_app":[]}}"#
        let server = servers(production: .json(#"{"status":21007}"#), sandbox: .json(valid))
        let answer = try await receipts(server)
            .verify([1, 2, 3], sharedSecret: "secret", excludesOldTransactions: true)
        #expect(answer.server == .sandbox && answer.environment == .sandbox)
        #expect(answer.receipt?.bundleId == "com.example.shop" && answer.value.raw.json == valid)
        #expect(
            server.requests.map(\.url) == [
                "https://buy.itunes.apple.com/verifyReceipt", "https://sandbox.itunes.apple.com/verifyReceipt",
            ]
        )
        let body = server.requests[1].body.map { String(decoding: $0, as: UTF8.self) }
        #expect(body == #"{"receipt-data":"AQID","password":"secret","exclude-old-transactions":true}"#)
        #expect(!server.requests[0].headers.contains { $0.name == "Authorization" })
    }

    @Test(
        "Each status but success is thrown typed",
        arguments: [21_000, 21_002, 21_003, 21_004, 21_008, 21_010, 21_999]
    )
    func receiptStatus(status: Int) async throws {
        let server = FakeServer(.json(#"{"status":\#(status)}"#))
        let error = try await failure { try await receipts(server, .production).verify(base64: "AQID") }
        #expect(error?.reason == .receipt(OpenValue(rawValue: status)) && error?.canRetry == false)
        #expect(server.requests.count == 1)
    }

    @Test("Statuses that may pass are retried, unless the server says otherwise", arguments: [21_005, 21_009, 21_104])
    func temporaryStatus(status: Int) async throws {
        let server = FakeServer(.json(#"{"status":\#(status)}"#), .json(#"{"status":0}"#))
        #expect(try await receipts(server).verify(base64: "AQID").status == .valid)
        let final = FakeServer(.json(#"{"status":\#(status),"is_retryable":false}"#))
        let error = try await failure { try await receipts(final).verify(base64: "AQID") }
        #expect(error?.canRetry == false && final.requests.count == 1)
    }
}
