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

    @Test("There are 94 codes, and the retryable ones are those that Apple documents, and 5000000")
    func table() {
        #expect(AppStoreErrorCode.allCases.count == 94)
        let retryable = AppStoreErrorCode.allCases.filter(\.isRetryable).map(\.rawValue)
        #expect(retryable == [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001])
    }
}
