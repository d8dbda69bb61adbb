import Testing

@testable import AppStoreServer

/// Errors of the App Store Server API.
@Suite("Errors")
struct ErrorTests {
    @Test(
        "Each documented code arrives typed, with the status of its first three digits",
        arguments: AppStoreErrorCode.allCases
    )
    func typed(code: AppStoreErrorCode) async throws {
        let server = FakeServer(.error(code.rawValue))
        let client = try server.client { $0.maxAttempts = 1 }
        let error = try #require(try await failure { try await client.transactionInfo("1") })
        #expect(error.reason == .refused && error.code == code && error.code?.known == code)
        #expect(error.status == code.rawValue / 10_000 && error.message == "Message \(code.rawValue).")
        #expect(error.canRetry == code.isRetryable)
        #expect(error.description.contains("code \(code.rawValue)") && error.description.contains("http://till"))
    }

    @Test("An unknown code is kept")
    func unknown() async throws {
        let server = FakeServer(.error(4_039_999))
        let error = try #require(try await failure { try await server.client().transactionInfo("1") })
        #expect(error.code == .unknown(4_039_999) && error.status == 403)
    }

    @Test("The server's id of the request is in the error, whether the answer is a refusal or cannot be read")
    func requestID() async throws {
        let headers = [(name: "X-Request-ID", value: "RKC4.0.0")]
        for answer in [
            TransportResponse.error(4_040_010, headers), .json("[]", headers), .json("", status: 401, headers),
        ] {
            let error = try #require(try await failure { try await FakeServer(answer).client().transactionInfo("1") })
            #expect(error.requestID == "RKC4.0.0" && error.description.contains("request RKC4.0.0"))
        }
        let error = try #require(
            try await failure { try await FakeServer(.error(4_040_010)).client().transactionInfo("1") }
        )
        #expect(error.requestID == nil && !error.description.contains("request"))
    }

    @Test("A number that is known has its name in the description")
    func names() {
        #expect("\(OpenValue<SubscriptionStatus>(rawValue: 1))" == "active (1)")
        #expect("\(OpenValue<SubscriptionStatus>(rawValue: 9))" == "9")
        #expect("\(OpenValue<NotificationType>(rawValue: "DID_RENEW"))" == "DID_RENEW")
    }

    @Test("There are 94 codes, and the retryable ones are those that Apple documents, and 5000000")
    func table() {
        #expect(AppStoreErrorCode.allCases.count == 94)
        let retryable = AppStoreErrorCode.allCases.filter(\.isRetryable).map(\.rawValue)
        #expect(retryable == [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001])
    }
}
