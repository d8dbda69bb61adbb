import AppStoreServer
import Foundation

/// The code of docs/client/index.md. It is compiled, and ClientPageTests compares it with the page.
struct DocumentedCode {
    let issuer: String
    let transactionId: String
    let kept: any Kept

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
        for try await page in client.transactions(of: transactionId, from: kept.revision).pages {
            try await kept.store(page.signedTransactions, upTo: page.revision, from: page.server)
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
            for item in batch.notifications { print(try item.signedPayload.unverifiedPayload().notificationUUID) }
        }
        let reconciler = Reconciler(client: client, store: store)
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        try await reconciler.reconcileNotifications(since: now.advanced(milliseconds: -86_400_000), until: now)
        try await reconciler.reconcileTransactions(of: transactionId)
    }

    struct OneAnswer: AppStoreTransport {
        func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
            TransportResponse(status: 200, body: Array(#"{"signedTransactionInfo": "a.b.c"}"#.utf8))
        }
    }
}
