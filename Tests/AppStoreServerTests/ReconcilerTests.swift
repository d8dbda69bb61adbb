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

    /// A server with a notification each ten minutes until its clock, in pages of three.
    ///
    /// - Parameters:
    ///   - clock: dates the notifications, in minutes after the start.
    ///   - date: the time of its answers, in minutes after the start; nil for none.
    ///   - host: the time of the client, in minutes after the start.
    private func server(_ clock: Int64, date: Int64?, host: Int64) -> FakeServer {
        let server = FakeServer { request, _, _ in try answer(request, clock, date) }
        server.time.setWallClock(at(host))
        return server
    }

    /// A server whose clock and date are those of the client.
    private func server(_ now: Int64) -> FakeServer { server(now, date: now, host: now) }

    private func answer(_ request: TransportRequest, _ clock: Int64, _ date: Int64?) throws -> TransportResponse {
        let asked = try JSONTree.parse(request.body ?? []).decode(Request.self)
        let token = request.url.split(separator: "=").dropFirst().last.flatMap { Int($0) } ?? 0
        let end = min(asked.endDate, at(clock).milliseconds)
        let minutes = stride(from: asked.startDate, to: end, by: 60_000).map { $0 / 60_000 }
        let all = minutes.filter { $0 % 10 == 0 }
        let page = all.dropFirst(token).prefix(3).map { item("\($0)", $0 * 60_000) }
        let hasMore = all.count > token + 3
        let next = hasMore ? #","paginationToken":"\#(token + 3)""# : ""
        return .json(
            #"{"notificationHistory":[\#(page.joined(separator: ","))],"hasMore":\#(hasMore)\#(next)}"#,
            date.map { [(name: "Date", value: httpDate(at($0)))] } ?? []
        )
    }

    private func item(_ id: String, _ date: Int64) -> String {
        let payload = #"{"notificationType":"TEST","notificationUUID":"\#(id)","signedDate":\#(date)}"#
        return #"{"signedPayload":"\#(unsigned(payload))"}"#
    }

    private func httpDate(_ time: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
        let parts = date.formatted(.iso8601.dateTimeSeparator(.space)).split(separator: " ")
        let day = parts[0].split(separator: "-")
        return "Thu, \(day[2]) Jan \(day[0]) \(parts[1].dropLast()) GMT"
    }

    private func at(_ minutes: Int64) -> Timestamp { start + .seconds(minutes * 60) }

    private func reconciler(_ server: FakeServer, _ store: Database) throws -> Reconciler<Database> {
        Reconciler(client: try server.client(), store: store, window: .seconds(3_600))
    }

    /// Where the requests begin and end, in minutes after the start.
    private func ranges(_ server: FakeServer) throws -> [[Int64]] {
        try server.requests.map { request in
            let asked = try JSONTree.parse(request.body ?? []).decode(Request.self)
            return [asked.startDate, asked.endDate].map { ($0 - start.milliseconds) / 60_000 }
        }
    }

    private let start = TestTime.start
    /// The notifications of the first hours.
    private var expected: [String] { expected(180) }
    private func expected(_ minutes: Int64) -> [String] {
        stride(from: at(0).milliseconds / 60_000, to: at(minutes).milliseconds / 60_000, by: 10).map { "\($0)" }
    }

    @Test("All notifications are handed over once, window after window, and a later run has only new ones")
    func notifications() async throws {
        let database = Database()
        let first = try await reconciler(server(90), database).reconcileNotifications(since: start, until: at(90))
        #expect(first == 9 && database.applied == expected(90))
        let second = try await reconciler(server(180), database).reconcileNotifications(since: start)
        #expect(second == 9 && database.applied == expected)
    }

    @Test("No request begins before the first run, whose start may be the beginning of the history")
    func beginning() async throws {
        let server = self.server(180)
        try await reconciler(server, Database()).reconcileNotifications(since: start, until: at(180))
        #expect(Set(try ranges(server)) == [[0, 60], [50, 120], [110, 180]])
    }

    @Test("A run that is killed at any commit goes on without a missing or doubled notification", arguments: 1...12)
    func killed(commit: Int) async throws {
        let database = Database { $0 == commit || $0 == commit + 2 }
        for _ in 0..<3 {
            _ = try? await reconciler(server(180), database).reconcileNotifications(since: start, until: at(180))
        }
        #expect(database.applied == expected)
    }

    @Test(
        "A window whose token has expired is walked again, and nothing is handed over twice",
        arguments: [4_000_014, 4_000_017]
    )
    func expired(code: Int) async throws {
        let server = FakeServer { request, index, _ in
            index == 1 || index == 5 ? .error(code) : try answer(request, 180, 180)
        }
        server.time.setWallClock(at(180))
        let database = Database()
        try await reconciler(server, database).reconcileNotifications(since: start, until: at(180))
        #expect(database.applied == expected)
    }

    @Test("A server that refuses each of its tokens is not asked without end")
    func refused() async throws {
        let server = FakeServer { request, index, _ in
            index % 2 == 1 ? .error(4_000_014) : try answer(request, 180, 180)
        }
        server.time.setWallClock(at(180))
        let error = await #expect(throws: AppStoreServerError.self) {
            try await reconciler(server, Database()).reconcileNotifications(since: start, until: at(180))
        }
        #expect(error?.code == .invalidPaginationToken && server.requests.count == 4)
    }

    @Test("A notification that is recorded late is found in the next window")
    func late() async throws {
        let headers = [(name: "Date", value: httpDate(at(180)))]
        let server = FakeServer(
            .json(#"{"notificationHistory":[],"hasMore":false}"#, headers),
            .json(#"{"notificationHistory":[\#(item("late", at(59).milliseconds))],"hasMore":false}"#, headers)
        )
        server.time.setWallClock(at(180))
        let database = Database()
        try await reconciler(server, database).reconcileNotifications(since: start, until: at(180))
        #expect(database.applied == ["late"] && server.requests.count == 3)
    }

    // MARK: Clocks

    @Test("A host whose clock was wrong once loses nothing", arguments: [1_440, 60 + 1_440, 0], [true, false])
    func wrongClock(host: Int64, hasEnd: Bool) async throws {
        let database = Database()
        let end = hasEnd ? at(max(host, 60)) : nil
        let first = try reconciler(server(60, date: 60, host: host), database)
        try await first.reconcileNotifications(since: start, until: end)
        #expect(database.applied == expected(60))
        try await reconciler(server(180), database).reconcileNotifications(since: start, until: hasEnd ? at(180) : nil)
        #expect(database.applied == expected)
    }

    @Test("Without the server's time, the position is the date of the last notification")
    func noServerTime() async throws {
        let database = Database()
        for clock: Int64 in [60, 180] {
            let server = self.server(clock, date: nil, host: 5_000)
            try await reconciler(server, database).reconcileNotifications(since: start, until: at(5_000))
        }
        #expect(database.applied == expected)
    }

    @Test("With an end, the position follows a clock that is ahead of the server's time")
    func advanced() async throws {
        let database = Database()
        for clock: Int64 in [2_000, 4_000] {
            let server = self.server(clock, date: 60, host: 60)
            try await reconciler(server, database).reconcileNotifications(since: start, until: at(clock))
            #expect(database.applied == expected(clock))
            // The notifications of the first run are not asked for again.
            if clock == 4_000 { #expect(try ranges(server).allSatisfy { $0[0] > 1_900 }) }
        }
    }

    @Test("Without an end, the notifications of all clocks that are ahead are handed over once")
    func severalClocks() async throws {
        let database = Database()
        for (clock, now) in [(1_000, 60), (1_000, 300), (1_100, 400)] as [(Int64, Int64)] {
            try await reconciler(server(clock, date: now, host: now), database).reconcileNotifications(since: start)
            #expect(database.applied == expected(clock))
        }
        // A clock that is slower than the other one.
        let slow = #"{"notificationHistory":[\#(item("slow", at(500).milliseconds))],"hasMore":false}"#
        let server = FakeServer(.json(slow, [(name: "Date", value: httpDate(at(400)))]))
        server.time.setWallClock(at(400))
        #expect(try await reconciler(server, database).reconcileNotifications(since: start) == 1)
        #expect(try ranges(server).map(\.first) == [390])
    }

    @Test("An end before the position is refused, unless the overlap reaches back to it")
    func earlierEnd() async throws {
        let database = Database()
        try await reconciler(server(60), database).reconcileNotifications(since: start, until: at(60))
        await #expect(throws: EndBeforePosition(until: at(49), position: at(60))) {
            try await reconciler(server(60), database).reconcileNotifications(since: start, until: at(49))
        }
        for end: Int64 in [55, 60, 80] {
            try await reconciler(server(80), database).reconcileNotifications(since: start, until: at(end))
        }
        #expect(database.applied == expected(80))
        await #expect(throws: EndBeforePosition.self) {
            try await reconciler(server(60), Database()).reconcileNotifications(since: start, until: at(-1))
        }
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
            let now = Int64(run + 1) * 60
            let reconciler = Reconciler(client: try server(now).client(), store: store)
            _ = try? await reconciler.reconcileNotifications(since: start, until: at(now))
        }
        #expect(applied.sum == 24)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["positions.json"])
        try Data("broken".utf8).write(to: URL(filePath: path))
        let broken = #expect(throws: InvalidFile.self) { try FileReconcilerStore(path: path) { _ in } }
        #expect(broken?.path == path && broken?.description.hasPrefix("\(path): ") == true)
    }
}
