import Foundation
import Synchronization
import Testing
import TillJSON

@testable import AppStoreServer

/// Finding what a backend missed.
@Suite("The reconciler")
struct ReconcilerTests {
    /// A store in memory that applies a batch together with its position, and that can fail before or after it.
    private final class Database: ReconcilerStore {
        struct Stopped: Error {}

        private struct Content: Sendable {
            var positions: [ReconcilerSource: String] = [:]
            var applied: [String] = []
            var commits = 0
        }

        private let content = Mutex(Content())
        private let stops: @Sendable (Int) -> Bool

        /// - Parameter stops: whether the process is killed instead of the commit with this number.
        init(stops: @escaping @Sendable (Int) -> Bool = { _ in false }) { self.stops = stops }

        var applied: [String] { content.withLock { $0.applied } }

        func position(of source: ReconcilerSource) -> String? { content.withLock { $0.positions[source] } }

        func commit(_ batch: ReconcilerBatch) throws {
            let notifications = try batch.notifications.map {
                try $0.signedPayload.unverifiedPayload().notificationUUID
            }
            let transactions = try batch.transactions.map { try $0.unverifiedPayload().transactionId }
            try content.withLock { content in
                content.commits += 1
                guard !stops(content.commits) else { throw Stopped() }
                content.positions[batch.source] = batch.position
                content.applied += notifications + transactions
            }
        }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        var sum: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    private struct Request: Decodable {
        let startDate: Int64
        let endDate: Int64
    }

    /// A server with a notification each ten minutes, in pages of three.
    private static func history(_ request: TransportRequest, _ index: Int, _ time: TestTime) throws -> TransportResponse
    {
        let asked = try JSONTree.parse(request.body ?? []).decode(Request.self)
        let token = request.url.split(separator: "=").dropFirst().last.flatMap { Int($0) } ?? 0
        let minutes = stride(from: asked.startDate, to: asked.endDate, by: 60_000).map { $0 / 60_000 }
        let all = minutes.filter { $0 % 10 == 0 }
        let page = all.dropFirst(token).prefix(3).map { minute in
            let payload = #"{"notificationType":"TEST","notificationUUID":"\#(minute)"}"#
            return #"{"signedPayload":"\#(unsigned(payload))"}"#
        }
        let hasMore = all.count > token + 3
        let next = hasMore ? #","paginationToken":"\#(token + 3)""# : ""
        return .json(#"{"notificationHistory":[\#(page.joined(separator: ","))],"hasMore":\#(hasMore)\#(next)}"#)
    }

    private let start = TestTime.start
    private var expected: [String] {
        stride(from: start.milliseconds / 60_000, to: start.milliseconds / 60_000 + 180, by: 10).map { "\($0)" }
    }

    @Test("All notifications are handed over once, window after window, and a later run has only new ones")
    func notifications() async throws {
        let database = Database()
        let reconciler = Reconciler(client: try FakeServer(Self.history).client(), store: database)
        let first = try await reconciler.reconcileNotifications(since: start, until: start + .seconds(90 * 60))
        #expect(first == 9 && database.applied == Array(expected.prefix(9)))
        let second = try await reconciler.reconcileNotifications(since: start, until: start + .seconds(180 * 60))
        #expect(second == 9 && database.applied == expected)
    }

    @Test("No request begins before the first run, whose start may be the beginning of the history")
    func beginning() async throws {
        let server = FakeServer(Self.history)
        let reconciler = Reconciler(client: try server.client(), store: Database())
        try await reconciler.reconcileNotifications(since: start, until: start + .seconds(180 * 60))
        let requests = try server.requests.map { try JSONTree.parse($0.body ?? []).decode(Request.self) }
        let starts = Set(requests.map { ($0.startDate - start.milliseconds) / 60_000 })
        #expect(starts.sorted() == [0, 50, 110])
    }

    @Test("A run that is killed at any commit goes on without a missing or doubled notification", arguments: 1...12)
    func killed(commit: Int) async throws {
        let database = Database { $0 == commit || $0 == commit + 2 }
        for _ in 0..<3 {
            let reconciler = Reconciler(client: try FakeServer(Self.history).client(), store: database)
            _ = try? await reconciler.reconcileNotifications(since: start, until: start + .seconds(180 * 60))
        }
        #expect(database.applied == expected)
    }

    @Test(
        "A window whose token has expired is walked again, and nothing is handed over twice",
        arguments: [4_000_014, 4_000_017]
    )
    func expired(code: Int) async throws {
        let server = FakeServer { request, index, time in
            index == 1 || index == 5 ? .error(code) : try Self.history(request, index, time)
        }
        let database = Database()
        let reconciler = Reconciler(client: try server.client(), store: database)
        try await reconciler.reconcileNotifications(since: start, until: start + .seconds(180 * 60))
        #expect(database.applied == expected)
    }

    @Test("A notification that is recorded late is found in the next window")
    func late() async throws {
        let payload = #"{"notificationType":"TEST","notificationUUID":"late"}"#
        let item = #"{"signedPayload":"\#(unsigned(payload))"}"#
        let server = FakeServer(
            .json(#"{"notificationHistory":[],"hasMore":false}"#),
            .json(#"{"notificationHistory":[\#(item)],"hasMore":false}"#)
        )
        let database = Database()
        let reconciler = Reconciler(client: try server.client(), store: database)
        try await reconciler.reconcileNotifications(since: start, until: start + .seconds(3 * 3_600))
        #expect(database.applied == ["late"] && server.requests.count == 3)
    }

    @Test("The transactions of a customer are handed over from the kept revision, by the server that has them")
    func customer() async throws {
        let server = FakeServer { request, _, _ in
            guard request.url.hasPrefix(ServerAddress.sandbox.url) else { return .error(4_040_010) }
            if request.url.hasSuffix("revision=r1") { return .history([3], revision: "r2", hasMore: false) }
            return .history([1, 2], revision: "r1", hasMore: false)
        }
        let database = Database()
        for count in [2, 1] {
            let reconciler = Reconciler(client: try server.client(.automatic), store: database)
            #expect(try await reconciler.reconcileTransactions(of: "1") == count)
        }
        #expect(database.applied == ["1", "2", "3"] && server.requests.count == 3)
    }

    @Test("The file of a store keeps the positions, and a batch that cannot be applied is handed over again")
    func file() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "reconciler-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "positions.json").path
        let applied = Counter()
        for run in 0..<4 {
            let store = try FileReconcilerStore(path: path) { batch in
                if run == 1 { throw Database.Stopped() }
                applied.add(batch.notifications.count)
            }
            let reconciler = Reconciler(client: try FakeServer(Self.history).client(), store: store)
            _ = try? await reconciler.reconcileNotifications(since: start, until: start + .seconds(3_600 * (run + 1)))
        }
        #expect(applied.sum == 24)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["positions.json"])
        try Data("broken".utf8).write(to: URL(filePath: path))
        #expect(throws: (any Error).self) { try FileReconcilerStore(path: path) { _ in } }
    }
}
