import Foundation
import Testing
import TillControl

@testable import AppStoreServer
@testable import TillServer

/// The errors, broken connections and delays of a real server arrive as docs/client/index.md describes them.
@Suite("The client under faults of a real server", .timeLimit(.minutes(5)))
struct LiveFaultTests {
    /// The error that a call throws.
    private func failure(
        _ call: () async throws -> some Any,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> AppStoreServerError {
        do {
            _ = try await call()
        } catch let error as AppStoreServerError {
            return error
        }
        return try #require(nil as AppStoreServerError?, "no error was thrown", sourceLocation: location)
    }

    @Test("Each documented error of the served routes arrives with its code, status and message")
    func documented() async throws {
        try await LiveServer.run { server in
            let client = server.client { $0.maxAttempts = 1 }
            #expect(APIError.documented.count > 60)
            for (code, sent) in APIError.documented.sorted(by: { $0.key < $1.key }) {
                let hits = try await server.under(AddFault(kind: .error, limit: 1, code: code)) {
                    let error = try await failure { try await client.transactionInfo("1") }
                    #expect(error.reason == .refused && error.code?.rawValue == code && error.message == sent.message)
                    #expect(error.status == code / 10_000 && error.attempts == 1)
                    #expect(error.canRetry == [4_040_002, 4_040_004, 4_040_006].contains(code) || code >= 4_290_000)
                }
                #expect(hits == 1, "\(code)")
            }
            // Apple published these two errors without a number, so the client has no name for Till's choice.
            let unnamed = APIError.documented.keys.filter { AppStoreErrorCode(rawValue: $0) == nil }
            #expect(unnamed.sorted() == [4_000_207, 4_000_208])
        }
    }

    @Test("Retry-After is a wait in seconds or a time, and a wait beyond the deadline is not begun")
    func retryAfter() async throws {
        try await LiveServer.run { server in
            let id = try await server.buy()
            let limited = AddFault(kind: .error, limit: 1, code: 4_290_000, retryAfter: 3_600)
            let patient = QuickTime()
            try await server.under(limited) {
                _ = try await server.client(time: patient) { $0.deadline = .seconds(7_200) }.transactionInfo(id)
            }
            #expect(patient.sleeps == [.seconds(3_600) + .milliseconds(300)])
            let hasty = QuickTime()
            try await server.under(limited) {
                let error = try await failure { try await server.client(time: hasty).transactionInfo(id) }
                #expect(error.code == .rateLimitExceeded && error.retryAfter == .seconds(3_600) && error.canRetry)
                #expect(error.attempts == 1 && hasty.sleeps.isEmpty)
            }
            // The header is the next full hour, in milliseconds since 1970.
            try await server.under(AddFault(kind: .rateLimit, route: "getTransactionInfo", perHour: 0)) {
                let error = try await failure { try await server.client { $0.maxAttempts = 1 }.transactionInfo(id) }
                let wait = try #require(error.retryAfter)
                #expect(error.status == 429 && wait >= .zero && wait <= .seconds(3_601), "\(wait)")
            }
        }
    }

    @Test("Cut connections and half answers are retried, but not a test notification that may have been sent")
    func cut() async throws {
        try await LiveServer.run { server in
            let id = try await server.buy()
            let endpoint = SetEndpoint(app: LiveServer.app, endpoint: "primary", url: "http://127.0.0.1:9/")
            _ = try await server.control.send(endpoint)
            for kind in [FaultKind.cut, .half] {
                let time = QuickTime()
                try await server.under(AddFault(kind: kind, limit: 2)) {
                    let info = try await server.client(time: time).transactionInfo(id)
                    #expect(try info.signedTransactionInfo.unverifiedPayload().transactionId == id)
                }
                #expect(time.sleeps == [.milliseconds(300), .milliseconds(600)], "\(kind)")
                let hits = try await server.under(AddFault(kind: kind)) {
                    let client = server.client { $0.maxAttempts = 3 }
                    let lost = try await failure { try await client.transactionInfo(id) }
                    #expect(lost.reason == .unreachable && lost.status == nil && lost.canRetry && lost.mayHaveHadEffect)
                    #expect(lost.attempts == 3)
                    let test = try await failure { try await client.requestTestNotification() }
                    #expect(test.attempts == 1 && test.mayHaveHadEffect && test.canRetry, "\(test)")
                }
                #expect(hits == 4)
            }
        }
    }

    @Test("A server that is down is asked again, and no call has had an effect; one that is back answers")
    func down() async throws {
        let server = try await LiveServer()
        let id = try await server.buy()
        try await server.stop()
        let client = server.client { $0.maxAttempts = 2 }
        let error = try await failure { try await client.requestTestNotification() }
        #expect(error.reason == .unreachable && !error.mayHaveHadEffect && error.canRetry && error.attempts == 2)
        try await server.startAgain()
        #expect(try await client.transactionInfo(id).server.url == LiveServer.sandbox)
        try await server.under(AddFault(kind: .status, code: 503)) {
            let error = try await failure { try await client.transactionInfo(id) }
            #expect(error.status == 503 && error.code == nil && error.canRetry && error.attempts == 2)
        }
        try await server.stop()
    }

    @Test(
        "A clock that is two hours behind or ahead is corrected once, or is an error of its own",
        arguments: [-7_200, 7_200]
    )
    func skew(seconds: Int64) async throws {
        try await LiveServer.run { server in
            let id = try await server.buy()
            let time = QuickTime(wallClockAhead: .seconds(seconds))
            let client = server.client(time: time)
            for requests in [2, 1] {
                let before = server.requests
                _ = try await client.transactionInfo(id)
                #expect(server.requests - before == requests && time.sleeps.isEmpty)
            }
            let strict = server.client(time: time) { $0.correctsClockSkew = false }
            let error = try await failure { try await strict.transactionInfo(id) }
            guard case .clockSkew(let skew) = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(abs(skew.milliseconds / 1_000 + seconds) < 60 && error.status == 401 && !error.canRetry)
        }
    }

    @Test("A wrong key, a refused token and an unreleased app are not taken for a wrong clock")
    func unauthenticated() async throws {
        try await LiveServer.run { server in
            let id = try await server.buy()
            let other = try AppStoreKey.unknown(issuer: server.key.issuerID)
            let stranger = try await failure { try await server.client(key: other).transactionInfo(id) }
            #expect(stranger.reason == .unauthenticated && stranger.attempts == 1 && !stranger.canRetry)
            try await server.under(AddFault(kind: .unauthorized)) {
                let refused = try await failure { try await server.client().transactionInfo(id) }
                #expect(refused.reason == .unauthenticated && refused.attempts == 1)
            }
            let production = AppEnvironment(LiveServer.app.bundleId, .production)
            _ = try await server.control.send(UpdateSettings(app: production, released: false))
            let both = ServerEnvironment.automatic(production: LiveServer.production, sandbox: LiveServer.sandbox)
            let unreleased = try await failure { try await server.client(both).transactionInfo(id) }
            #expect(unreleased.reason == .unauthenticated && unreleased.server.environment == .production)
        }
    }

    @Test("A slow answer ends at the time limit of a request, at the deadline of a call, or when the task is cancelled")
    func slow() async throws {
        try await LiveServer.run { server in
            let id = try await server.buy()
            let slow = AddFault(kind: .latency, milliseconds: 60_000)
            try await server.under(slow) {
                let client = server.client {
                    $0.attemptTimeout = .milliseconds(100)
                    $0.maxAttempts = 2
                }
                let error = try await failure { try await client.transactionInfo(id) }
                #expect(error.reason == .unreachable && error.canRetry && error.mayHaveHadEffect && error.attempts == 2)
                let hurried = server.client { $0.deadline = .milliseconds(200) }
                let begun = ContinuousClock.now
                #expect(try await failure { try await hurried.transactionInfo(id) }.attempts == 1)
                #expect(ContinuousClock.now - begun < .seconds(29))
            }
            let rule = try await server.control.send(slow)
            let call = Task { try await server.client().transactionInfo(id) }
            while try await server.hits(of: rule.id) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            _ = try await server.control.send(RemoveFaults())
            // The second attempt gets an answer.
            var once = slow
            once.limit = 1
            let time = QuickTime()
            try await server.under(once) {
                _ = try await server.client(time: time) { $0.attemptTimeout = .seconds(2) }.transactionInfo(id)
            }
            #expect(!time.sleeps.isEmpty)
        }
    }

    @Test("Each status of verifyReceipt arrives typed, and a receipt of the sandbox is sent there")
    func receipts() async throws {
        try await LiveServer.run { server in
            _ = try await server.buy("coins")
            let sandbox = ServerEnvironment.custom(LiveServer.sandbox)
            let receipt = try await server.control.send(GetReceipt(app: LiveServer.app, customer: "ann")).receipt
            let client = server.receiptClient(sandbox) { $0.maxAttempts = 2 }
            let known = ReceiptStatus.allCases.map(\.rawValue).filter { $0 > 0 && $0 != 21_006 && $0 != 21_007 }
            for status in known + [21_001, 21_150] {
                let fault = AddFault(kind: .receiptStatus, route: "verifyReceipt", code: status)
                let hits = try await server.under(fault) {
                    let error = try await failure { try await client.verify(base64: receipt) }
                    #expect(error.reason == .receipt(OpenValue(rawValue: status)), "\(status): \(error)")
                    #expect(error.canRetry == [21_005, 21_009, 21_150].contains(status))
                }
                #expect([1, 2].contains(hits), "\(status)")
            }
            let both = ServerEnvironment.automatic(production: LiveServer.production, sandbox: LiveServer.sandbox)
            let answer = try await server.receiptClient(both).verify(base64: receipt)
            #expect(answer.server.environment == .sandbox && answer.receipt?.inApp.map(\.productId) == ["coins"])
            let malformed = try await failure { try await client.verify(base64: "AAAA") }
            #expect(malformed.reason == .receipt(.known(.malformedReceipt)) && malformed.attempts == 1)
        }
    }
}
