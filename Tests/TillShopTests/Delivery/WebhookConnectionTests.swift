import Foundation
import Synchronization
import Testing
import TillCore
import TillShop
import TillTestSupport

@Suite("Connections are reused, and a closed connection costs no attempt")
struct WebhookConnectionTests {
    @Test("Consecutive posts use the same connection")
    func reuse() async throws {
        let post = try await WebhookReceiver.start()
        let webhookClient = try WebhookClient(idleLimit: .seconds(60))
        for _ in 1...5 { #expect(await webhookClient.post([1], to: post.url).result == .success) }
        #expect(post.requests.map(\.connection) == [1, 1, 1, 1, 1])
        try await webhookClient.shutdown()
        try await post.stop()
    }

    @Test(
        "A connection that the endpoint announces to close is not reused",
        arguments: ["Connection: close", "Keep-Alive: timeout=1"]
    )
    func announced(field: String) async throws {
        let text = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(field)\r\n\r\n".utf8)
        let post = try await WebhookReceiver.start { _ in .raw(text) }
        let webhookClient = try WebhookClient()
        for _ in 1...3 { #expect(await webhookClient.post([1], to: post.url).result == .success) }
        #expect(post.requests.map(\.connection) == [1, 2, 3])
        try await webhookClient.shutdown()
        try await post.stop()
    }

    @Test(
        "An endpoint that closes idle connections, at once or a little later, gets each post exactly once",
        arguments: [0, 1, 2, 5],
        [false, true]
    )
    func closesIdle(milliseconds: Int, isSecure: Bool) async throws {
        let authority = try TestAuthority()
        let roots = FileManager.default.temporaryDirectory.appending(path: "till-roots-\(UUID().uuidString).pem").path
        try authority.rootPEM.write(toFile: roots, atomically: true, encoding: .utf8)
        let post = try await WebhookReceiver.start(
            identity: isSecure ? authority.identity() : nil,
            closesIdleAfter: .milliseconds(milliseconds)
        )
        let webhookClient = try WebhookClient(extraRoots: [roots])
        let count = 100
        for number in 0..<count {
            let delivered = await webhookClient.post(Array("\(number)".utf8), to: post.url)
            #expect(delivered.result == .success, "\(delivered)")
            if number % 2 == 0 { try await Task.sleep(for: .milliseconds(milliseconds)) }
        }
        #expect(Set(post.requests.map(\.body)).count == count)
        if !isSecure { #expect(post.requests.count == count) }
        try await webhookClient.shutdown()
        try await post.stop()
    }

    @Test("An endpoint that closes a reused connection without an answer gets the request only once")
    func closesAfterReading() async throws {
        let post = try await WebhookReceiver.start { $0.number % 2 == 0 ? .close : .status(200) }
        let webhookClient = try WebhookClient(idleLimit: .seconds(60))
        var results: [SendAttemptResult] = []
        for _ in 1...20 { results.append(await webhookClient.post([1], to: post.url).result) }
        #expect(results == (1...20).map { $0 % 2 == 0 ? .noResponse : .success })
        #expect(post.requests.count == 20)
        try await webhookClient.shutdown()
        try await post.stop()
    }

    @Test("An endpoint that hangs delays neither another endpoint nor its own later posts")
    func independence() async throws {
        let hanging = try await WebhookReceiver.start { $0.path == "/fine" ? .status(200) : .hang }
        let healthy = try await WebhookReceiver.start()
        let webhookClient = try WebhookClient(timeout: .seconds(60))
        let ended = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...100 {
                group.addTask {
                    _ = await webhookClient.post([1], to: hanging.url)
                    ended.add()
                }
            }
            _ = try await hanging.requests(atLeast: 100)
            for url in [healthy.url, "http://127.0.0.1:\(hanging.port)/fine"] {
                for _ in 1...20 {
                    let delivered = await webhookClient.post([1], to: url)
                    #expect(delivered.result == .success)
                }
            }
            // The other posts were waiting for an answer during all of this.
            #expect(ended.count == 0)
            #expect(hanging.requests.count == 120 && healthy.requests.count == 20)
            try await webhookClient.shutdown()
            try await group.waitForAll()
        }
        try await hanging.stop()
        try await healthy.stop()
    }

    @Test("Many concurrent posts are sent, each exactly once")
    func many() async throws {
        let post = try await WebhookReceiver.start()
        let webhookClient = try WebhookClient()
        let results = await withTaskGroup(of: SendAttemptResult.self) { group in
            for number in 0..<300 {
                group.addTask { await webhookClient.post(Array("\(number)".utf8), to: post.url).result }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0 == .success })
        #expect(post.requests.count == 300 && Set(post.requests.map(\.body)).count == 300)
        try await webhookClient.shutdown()
        try await post.stop()
    }

    @Test("A shutdown ends the posts in progress")
    func shutdown() async throws {
        let post = try await WebhookReceiver.start { _ in .hang }
        let webhookClient = try WebhookClient(timeout: .seconds(30))
        async let delivered = webhookClient.post([1], to: post.url)
        _ = try await post.requests(atLeast: 1)
        try await webhookClient.shutdown()
        #expect(await delivered.result == .other)
        try await post.stop()
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
