import Testing

@testable import AppStoreServer

/// When a client sends a request again.
@Suite("Retries of a client")
struct RetryTests {
    private func cut(mayHaveArrived: Bool) -> TransportFailure {
        TransportFailure(cause: "connection reset", mayHaveArrived: mayHaveArrived)
    }

    @Test(
        "Errors that may pass are retried with a wait that doubles",
        arguments: [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001, 5_030_000]
    )
    func retried(code: Int) async throws {
        let server = FakeServer(.error(code), .error(code), .error(code), .transactionInfo)
        _ = try await server.client().transactionInfo("1")
        #expect(server.time.sleeps == [.milliseconds(300), .milliseconds(600), .milliseconds(1_200)])
    }

    @Test("Other errors are not retried", arguments: [4_000_006, 4_030_004, 4_040_010, 4_090_000])
    func refused(code: Int) async throws {
        let server = FakeServer(.error(code))
        let error = try #require(try await failure { try await server.client().transactionInfo("1") })
        #expect(error.code?.rawValue == code && error.attempts == 1 && !error.canRetry && !error.mayHaveHadEffect)
        #expect(server.requests.count == 1)
    }

    @Test("The last error is thrown after the maximum number of attempts")
    func exhausted() async throws {
        let server = FakeServer(.error(5_000_001))
        let error = try #require(
            try await failure { try await server.client { $0.maxAttempts = 3 }.transactionInfo("1") }
        )
        #expect(error.attempts == 3 && server.requests.count == 3 && error.canRetry && error.status == 500)
    }

    @Test(
        "Retry-After is waited for: Apple's milliseconds since 1970, seconds, or a date",
        arguments: ["1767225612000", "12", "Thu, 01 Jan 2026 00:00:12 GMT"]
    )
    func retryAfter(value: String) async throws {
        let server = FakeServer(.error(4_290_000, [("retry-after", value)]), .transactionInfo)
        _ = try await server.client().transactionInfo("1")
        #expect(server.time.sleeps == [.milliseconds(12_300)])
    }

    @Test("Retry-After counts from the Date of the answer if there is one")
    func retryAfterDate() async throws {
        let headers = [(name: "Retry-After", value: "1767312005000"), ("Date", "Fri, 02 Jan 2026 00:00:00 GMT")]
        let server = FakeServer(.error(4_290_000, headers), .transactionInfo)
        _ = try await server.client().transactionInfo("1")
        #expect(server.time.sleeps == [.milliseconds(5_300)])
    }

    @Test("A wait that ends after the deadline is not begun, and the error says how long to wait")
    func longRetryAfter() async throws {
        let server = FakeServer(.error(4_290_000, [("Retry-After", "3600")]))
        let error = try #require(try await failure { try await server.client().transactionInfo("1") })
        #expect(error.retryAfter == .seconds(3_600) && error.canRetry && error.code == .rateLimitExceeded)
        #expect(server.time.sleeps.isEmpty)
    }

    @Test("Slow attempts end at the deadline of the call")
    func deadline() async throws {
        let server = FakeServer { _, _, time in
            time.pass(.seconds(30))
            throw TransportFailure(cause: "deadline exceeded", mayHaveArrived: true)
        }
        let client = try server.client {
            $0.attemptTimeout = .seconds(30)
            $0.deadline = .seconds(70)
        }
        let error = try #require(try await failure { try await client.transactionInfo("1") })
        #expect(error.reason == .unreachable && error.status == nil && error.mayHaveHadEffect)
        #expect(server.timeouts == [.seconds(30), .seconds(30), .milliseconds(9_100)])
        #expect(error.attempts == 3)
    }

    @Test("A cut connection is retried, for every call that can be repeated")
    func cut() async throws {
        let failure = cut(mayHaveArrived: true)
        let server = FakeServer { _, index, _ in
            if index == 0 { throw failure }
            return TransportResponse(status: 200)
        }
        try await server.client().finishTransaction("1")
        #expect(server.requests.count == 2)
    }

    @Test("A test notification is not requested again if the request may have arrived")
    func unrepeatable() async throws {
        let arrived = cut(mayHaveArrived: true)
        let server = FakeServer { _, _, _ in throw arrived }
        let error = try #require(try await failure { try await server.client().requestTestNotification() })
        #expect(server.requests.count == 1 && error.mayHaveHadEffect && error.canRetry)
        let broken = FakeServer(.error(5_000_001))
        _ = try await failure { try await broken.client().requestTestNotification() }
        #expect(broken.requests.count == 1)
    }

    @Test("A test notification is requested again if no connection was made, or if the rate was exceeded")
    func repeatable() async throws {
        let refused = cut(mayHaveArrived: false)
        let server = FakeServer { _, index, _ in
            switch index {
            case 0: throw refused
            case 1: .error(4_290_000)
            default: .json(#"{"testNotificationToken":"t"}"#)
            }
        }
        _ = try await server.client().requestTestNotification()
        #expect(server.requests.count == 3)
    }

    @Test("A failure that cannot pass is not retried")
    func finalFailure() async throws {
        let server = FakeServer { _, _, _ in
            throw TransportFailure(cause: "invalid URL", mayHaveArrived: false, canRetry: false)
        }
        let error = try #require(try await failure { try await server.client().transactionInfo("1") })
        #expect(!error.canRetry && !error.mayHaveHadEffect && server.requests.count == 1)
    }

    @Test("Any other error of a transport counts as a request that may have arrived")
    func strange() async throws {
        struct Strange: Error {}
        let server = FakeServer { _, _, _ in throw Strange() }
        let error = try #require(try await failure { try await server.client().requestTestNotification() })
        #expect(error.reason == .unreachable && error.mayHaveHadEffect && server.requests.count == 1)
    }

    @Test("An answer that was cut off is retried; one with missing keys and an empty one are not")
    func invalid() async throws {
        let half = FakeServer(.json(#"{"signedTransactionInfo":"a.b"#), .transactionInfo)
        _ = try await half.client().transactionInfo("1")
        #expect(half.requests.count == 2)
        for text in ["", "{}", "[]", #"{"signedTransactionInfo":7}"#] {
            let server = FakeServer(.json(text))
            let error = try #require(try await failure { try await server.client().transactionInfo("1") })
            #expect(error.reason == .invalidAnswer && !error.canRetry && server.requests.count == 1, "\(text)")
        }
    }

    @Test("An error without an error object has a status and no code")
    func bare() async throws {
        for (status, requests) in [(404, 1), (400, 1), (502, 5), (503, 5)] {
            let server = FakeServer(TransportResponse(status: status, body: Array("<html>".utf8)))
            let error = try #require(try await failure { try await server.client().transactionInfo("1") })
            #expect(error.status == status && error.code == nil && error.reason == .refused)
            #expect(server.requests.count == requests)
        }
    }

    @Test("A broken server gets few retries: the budget of all copies of a client is used up")
    func budget() async throws {
        let server = FakeServer(.error(5_000_001))
        let client = try server.client { $0.retryBudget = 6 }
        for _ in 0..<100 {
            _ = try await failure { try await client.at(client.environment.servers[0]).transactionInfo("1") }
        }
        // A hundred calls, the budget, and a fifth of a retry for each call but those that met a full budget.
        #expect((100 + 6...100 + 6 + 20).contains(server.requests.count), "\(server.requests.count)")
    }

    @Test("A cancelled call throws CancellationError, and sends nothing more")
    func cancelled() async throws {
        let server = FakeServer(.error(5_000_001))
        let client = try server.client()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.transactionInfo("1")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.isEmpty)
        let late = FakeServer { _, _, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            throw TransportFailure(cause: "cancelled", mayHaveArrived: true)
        }
        let second = Task { try await late.client().transactionInfo("1") }
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(late.requests.count == 1)
    }
}
