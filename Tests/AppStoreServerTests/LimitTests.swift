import Testing

@testable import AppStoreServer

/// The requests a second.
@Suite("The limit of requests a second")
struct LimitTests {
    @Test("The requests of one second are sent at once, and then each in its turn, for all copies of a client")
    func pace() async throws {
        let server = FakeServer(.transactionInfo)
        let client = try server.client { $0.requestsPerSecond = 4 }
        for _ in 0..<8 { _ = try await client.at(client.environment.servers[0]).transactionInfo("1") }
        #expect(server.time.sleeps == Array(repeating: .milliseconds(250), count: 4))
        server.time.pass(.seconds(10))
        for _ in 0..<4 { _ = try await client.transactionInfo("1") }
        #expect(server.time.sleeps.count == 4)
    }

    @Test("Less than one request a second is possible")
    func slow() async throws {
        let server = FakeServer(.transactionInfo)
        let client = try server.client { $0.requestsPerSecond = 0.1 }
        for _ in 0..<3 { _ = try await client.transactionInfo("1") }
        #expect(server.time.sleeps == [.seconds(10), .seconds(10)])
    }

    @Test("A request whose turn comes after the deadline is not sent, and takes no turn")
    func deadline() async throws {
        let server = FakeServer(.transactionInfo)
        let client = try server.client {
            $0.requestsPerSecond = 0.01
            $0.deadline = .seconds(60)
        }
        _ = try await client.transactionInfo("1")
        for _ in 0..<3 {
            let error = try #require(try await failure { try await client.transactionInfo("1") })
            #expect(error.reason == .limited && error.attempts == 0 && error.canRetry && !error.mayHaveHadEffect)
        }
        server.time.pass(.seconds(50))
        _ = try await client.transactionInfo("1")
        #expect(server.time.sleeps == [.seconds(50)] && server.requests.count == 2)
    }
}
