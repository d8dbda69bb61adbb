import AppStoreServer
import AsyncHTTPClient
import Foundation

/// The code of docs/client/index.md. It is compiled, and ClientPageTests compares it with the page.
struct DocumentedCode {
    let issuer: String
    let transactionId: String
    let kept: any Kept
    let handler: NotificationHandler
    let backend: any Backend

    /// Keeps the transactions of a customer.
    protocol Kept: Sendable {
        var revision: String? { get }
        func store(_ transactions: [SignedTransaction], upTo revision: String, from server: ServerAddress) async throws
    }

    func firstCalls() async throws {
        let key = try AppStoreKey(file: "SubscriptionKey_2X9R4HXF34.p8", keyID: "2X9R4HXF34", issuerID: issuer)
        let client = AppStoreServerClient(key: key, bundleID: "com.example.shop", environment: .automatic)
        try await statuses(client)
        try await lists(client)
        try await errors(client)
        try await reconciler(client)
        var options = ClientOptions()
        options.deadline = .seconds(20)
        options.requestsPerSecond = 5
        let patient = AppStoreServerClient(
            key: key,
            bundleID: "com.example.shop",
            environment: .sandbox,
            options: options
        )
        try await statuses(patient)
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let own = AppStoreServerClient(key: key, bundleID: "com.example.shop", environment: .sandbox, http: http)
        try await statuses(own)
    }

    func statuses(_ client: AppStoreServerClient) async throws {
        let answer = try await client.subscriptionStatuses(of: transactionId, in: [.active, .gracePeriod])
        for subscription in answer.data.flatMap(\.lastTransactions) {
            let renewal = try subscription.signedRenewalInfo.unverifiedPayload()
            print(subscription.originalTransactionId, subscription.status, renewal.renewalDate?.milliseconds ?? 0)
        }
        print(answer.server.environment == .sandbox ? "in the sandbox" : "in production")
    }

    func lists(_ client: AppStoreServerClient) async throws {
        let filter = TransactionFilter(productTypes: [.autoRenewable], revoked: false)
        for try await transaction in client.transactions(of: transactionId, filter: filter) {
            print(try transaction.unverifiedPayload().productId)
        }
        let newest = TransactionFilter(sort: .descending)
        for try await transaction in client.transactions(of: transactionId, filter: newest).prefix(3) {
            print(try transaction.unverifiedPayload().purchaseDate)
        }
        for try await refund in client.refunds(of: transactionId) {
            let payload = try refund.unverifiedPayload()
            print(payload.productId, payload.revocationDate?.milliseconds ?? 0)
        }
        for try await page in client.transactions(of: transactionId, from: kept.revision).pages {
            try await kept.store(page.signedTransactions, upTo: page.revision, from: page.server)
        }
        for try await page in client.transactions(of: transactionId, from: kept.revision).pages {
            try await kept.store(page.signedTransactions, upTo: page.revision, from: page.server)
            let products = try page.signedTransactions.map { try $0.unverifiedPayload().productId }
            if products.contains("pro") { break }
        }
    }

    func notification(_ body: String) throws {
        let payload = try SignedNotification(body).unverifiedPayload()
        switch payload.notificationType {
        case .known(.didRenew): print("renewed", payload.data?.signedTransactionInfo?.text ?? "")
        case .known(let type): print(type, payload.subtype == .voluntary ? "by the customer" : "")
        case .unknown(let name): print("a new type: \(name)", payload.raw.json)
        }
    }

    func verified(_ text: String) async throws -> SignedDataVerifier {
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(files: ["AppleRootCA-G3.cer"]),
            app: .production(bundleID: "com.example.shop", appAppleID: 1_234_567_890)
        )
        let transaction = try await verifier.verify(SignedTransaction(text))
        print(transaction.payload.productId)
        return verifier
    }

    func either(
        _ signed: SignedTransaction,
        _ production: SignedDataVerifier,
        _ sandbox: SignedDataVerifier
    ) async throws(VerificationFailure) -> VerifiedTransaction {
        do {
            return try await production.verify(signed)
        } catch let failure where failure.reason == .environment {
            return try await sandbox.verify(signed)
        }
    }

    func errors(_ client: AppStoreServerClient) async throws {
        do {
            try await client.finishTransaction(transactionId)
        } catch let error as AppStoreServerError where error.code == .transactionIdNotFound {
            print("neither environment has it")
        } catch let error as AppStoreServerError where error.canRetry {
            print("try again in \(error.retryAfter ?? .seconds(60)): \(error)")
        }
    }

    func receipts(_ receipt: [UInt8], secret: String) async throws {
        let receipts = VerifyReceiptClient()
        let verified = try await receipts.verify(receipt, sharedSecret: secret)
        print(verified.latestReceiptInfo.compactMap(\.expiresDate).max() ?? Timestamp(milliseconds: 0))
    }

    func reconciler(_ client: AppStoreServerClient) async throws {
        let store = try FileReconcilerStore(path: "reconciler.json") { batch in
            for item in batch.notifications {
                _ = try await handler.handle(item.signedPayload) { try await backend.apply($0) }
            }
            for transaction in batch.transactions { try await backend.store(transaction) }
        }
        let reconciler = Reconciler(client: client, store: store)
        let lastWeek = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 - 7 * 86_400) * 1_000)
        try await reconciler.reconcileNotifications(since: lastWeek)
        try await reconciler.reconcileTransactions(of: transactionId)
        let busy = Reconciler(client: client, store: store, window: .seconds(3_600), overlap: .seconds(1_200))
        try await busy.reconcileNotifications(since: lastWeek)
    }

    /// A database with SQL.
    protocol SQLDatabase: Sendable {
        func number(_ sql: String, _ values: any Sendable...) async throws -> Int64?
        func run(_ sql: String, _ values: any Sendable...) async throws
    }

    /// What a backend does with notifications and transactions.
    protocol Backend: Sendable {
        func apply(_ received: ReceivedNotification) async throws
        func store(_ transaction: SignedTransaction) async throws
    }

    struct HandledInDatabase: HandledNotifications {
        let database: any SQLDatabase

        func contains(_ id: String) async throws -> Bool {
            try await database.number("SELECT 1 FROM handled WHERE id = ?", id) != nil
        }

        func newestDate(of original: String) async throws -> Timestamp? {
            let date = try await database.number("SELECT date FROM newest WHERE original = ?", original)
            return date.map { Timestamp(milliseconds: $0) }
        }

        func insert(_ id: String, about original: String?, signedOn date: Timestamp) async throws {
            try await database.run("INSERT INTO handled VALUES (?) ON CONFLICT DO NOTHING", id)
            guard let original else { return }
            let newer = "ON CONFLICT (original) DO UPDATE SET date = excluded.date WHERE excluded.date > newest.date"
            try await database.run("INSERT INTO newest VALUES (?, ?) \(newer)", original, date.milliseconds)
        }
    }

    struct OneAnswer: AppStoreTransport {
        func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
            TransportResponse(status: 200, body: Array(#"{"signedTransactionInfo": "a.b.c"}"#.utf8))
        }
    }
}
