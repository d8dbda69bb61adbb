import Testing

@testable import AppStoreServer

/// Walks through lists that the App Store answers in pages.
@Suite("Pages")
struct PagedSequenceTests {
    /// The query of a request.
    private static func query(_ request: TransportRequest) -> String {
        String(request.url.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
    }

    /// Three pages of transactions, behind the revisions r1, r2 and r3.
    private static let history: FakeServer.Responder = { request, _, _ in
        switch query(request) {
        case "": .history([1, 2], revision: "r1", hasMore: true)
        case "revision=r1": .history([], revision: "r2", hasMore: true)
        case "revision=r2": .history([3], revision: "r3", hasMore: false)
        default: .history([4], revision: "r4", hasMore: false)
        }
    }

    private func id(_ transaction: SignedTransaction) throws -> String {
        try transaction.unverifiedPayload().transactionId
    }

    @Test("A walk has all transactions of all pages, and fetches a page when it needs its first transaction")
    func walk() async throws {
        let server = FakeServer(Self.history)
        var ids: [String] = []
        var requests: [Int] = []
        for try await transaction in try server.client().transactions(of: "1") {
            ids.append(try id(transaction))
            requests.append(server.requests.count)
        }
        #expect(ids == ["1", "2", "3"] && requests == [1, 1, 3] && server.requests.count == 3)
    }

    @Test("Each page has its revision, from which a later walk goes on")
    func resume() async throws {
        let server = FakeServer(Self.history)
        let client = try server.client()
        var revisions: [String] = []
        for try await page in client.transactions(of: "1").pages { revisions.append(page.revision) }
        #expect(revisions == ["r1", "r2", "r3"])
        var later = client.transactions(of: "1", from: revisions.last).makeAsyncIterator()
        #expect(later.position == "r3")
        #expect(try await later.next().map(id) == "4" && later.position == "r4")
        let end = try await later.next()
        #expect(end == nil && server.requests.count == 4)
    }

    @Test("The same filter is sent for each page")
    func filter() async throws {
        let server = FakeServer { _, index, _ in .history([index], revision: "r\(index)", hasMore: index < 2) }
        let filter = TransactionFilter(productIds: ["pro"], sort: .ascending)
        for try await _ in try server.client().transactions(of: "1", filter: filter) {}
        let parts = "sort=ASCENDING&productId=pro"
        #expect(server.requests.map(Self.query) == [parts, "revision=r0&\(parts)", "revision=r1&\(parts)"])
    }

    @Test("An iterator that threw can be asked again, and loses and doubles nothing")
    func failures() async throws {
        let server = FakeServer { request, index, time in
            if index % 3 != 2 { throw TransportFailure(cause: "cut", mayHaveArrived: true) }
            return try Self.history(request, index, time)
        }
        var iterator = try server.client { $0.maxAttempts = 1 }.transactions(of: "1").makeAsyncIterator()
        var (ids, failures) = ([String](), 0)
        while true {
            do {
                guard let transaction = try await iterator.next() else { break }
                ids.append(try id(transaction))
            } catch is AppStoreServerError {
                failures += 1
            }
        }
        #expect(ids == ["1", "2", "3"] && failures == 6)
        let end = try await iterator.next()
        #expect(end == nil)
    }

    @Test("All pages come from the environment that answered the first")
    func environment() async throws {
        let server = FakeServer { request, index, time in
            guard request.url.hasPrefix(ServerAddress.sandbox.url) else { return .error(4_040_010) }
            return try Self.history(request, index, time)
        }
        var servers: [ServerAddress] = []
        for try await page in try server.client(.automatic).transactions(of: "1").pages { servers.append(page.server) }
        #expect(servers == [.sandbox, .sandbox, .sandbox] && server.requests.count == 4)
    }

    @Test("A list that does not advance is an error, and not an endless walk")
    func stuck() async throws {
        let server = FakeServer(.history([1], revision: "r1", hasMore: true))
        var iterator = try server.client().transactions(of: "1").makeAsyncIterator()
        _ = try await iterator.next()
        await #expect(throws: AppStoreServerError.self) { try await iterator.next() }
    }

    @Test("A list whose positions come back is an error after a few rounds", arguments: [2, 3, 7])
    func circle(length: Int) async throws {
        let server = FakeServer { _, index, _ in .history([index], revision: "r\(index % length)", hasMore: true) }
        var iterator = try server.client().transactions(of: "1").makeAsyncIterator()
        await #expect(throws: AppStoreServerError.self) { while try await iterator.next() != nil {} }
        #expect(server.requests.count <= 4 * length)
    }

    @Test("Refunds and notifications are walked alike")
    func others() async throws {
        let refunds = FakeServer(
            .history([1], revision: "r1", hasMore: true),
            .history([2], revision: "r2", hasMore: false)
        )
        var count = 0
        for try await _ in try refunds.client().refunds(of: "1", from: "r0") { count += 1 }
        #expect(count == 2 && refunds.requests.map(Self.query) == ["revision=r0", "revision=r1"])

        let page =
            #"{"notificationHistory":[{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":5,"#
            + #""sendAttemptResult":"LOST"}]}],"hasMore":"#
        let notifications = FakeServer(.json(page + #"true,"paginationToken":"t 1"}"#), .json(page + "false}"))
        let start = Timestamp(milliseconds: 1)
        let list = try notifications.client().notifications(from: start, to: TestTime.start, filter: .onlyFailures)
        for try await item in list { #expect(item.sendAttempts.first?.sendAttemptResult == .unknown("LOST")) }
        #expect(notifications.requests.map(Self.query) == ["", "paginationToken=t%201"])
        #expect(notifications.requests[0].body == notifications.requests[1].body)
    }

    @Test("A cancelled walk ends with CancellationError")
    func cancelled() async throws {
        let server = FakeServer(Self.history)
        let client = try server.client()
        let task = Task {
            for try await _ in client.transactions(of: "1") { withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.count == 1)
    }
}
