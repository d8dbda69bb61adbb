import Synchronization
import Testing
import TillControl

@testable import AppStoreServer

/// Finding missed notifications on a server whose clocks were advanced, each by another time.
@Suite("The reconciler with a real server", .timeLimit(.minutes(5)))
struct LiveReconcilerTests {
    /// A store in memory.
    private final class Database: ReconcilerStore {
        private let content = Mutex((positions: [ReconcilerSource: String](), handed: [String]()))

        /// The ids of the notifications that were handed over, in their order.
        var handed: [String] { content.withLock { $0.handed } }

        func position(of source: ReconcilerSource) -> String? { content.withLock { $0.positions[source] } }

        func commit(_ batch: ReconcilerBatch) throws {
            let ids = try batch.notifications.map { try $0.signedPayload.unverifiedPayload().notificationUUID }
            content.withLock { content in
                content.positions[batch.source] = batch.position
                content.handed += ids
            }
        }
    }

    private static let app = LiveServer.app

    /// The ids of all notifications of the server.
    private static func sent(_ server: LiveServer) async throws -> [String] {
        try await server.control.send(ListNotifications(app: app, limit: 100)).notifications.map(\.notificationUUID)
    }

    @Test("Without an end, each notification is handed over once, also from clocks that are ahead of real time")
    func advanced() async throws {
        try await LiveServer.run(settings: FeatureWorkload.settings) { server in
            let control = server.control
            _ = try await control.send(SetEndpoint(app: Self.app, endpoint: "primary", url: "http://127.0.0.1:9/"))
            _ = try await control.send(CreateClock(app: Self.app, name: "late"))
            _ = try await control.send(CreateCustomer(app: Self.app, customer: "bob", clock: "late"))
            let since = QuickTime().now - .seconds(86_400)
            let store = Database()
            let reconciler = Reconciler(client: server.client(), store: store)

            /// Changes something, and checks that the next run hands over exactly the notifications of the change.
            func expectNew(_ change: () async throws -> Void) async throws {
                let known = store.handed.count
                try await change()
                let count = try await reconciler.reconcileNotifications(since: since)
                #expect(count > 0 && count == store.handed.count - known)
                #expect(store.handed.sorted() == (try await Self.sent(server)).sorted())
                #expect(try await reconciler.reconcileNotifications(since: since) == 0)
            }

            try await expectNew {
                _ = try await server.buy("pro", by: "ann")
                _ = try await control.send(AdvanceClock(app: Self.app, by: "P40D"))
            }
            // A clock in real time is now far behind the other one.
            try await expectNew { _ = try await server.buy("pro", by: "bob") }
            try await expectNew { _ = try await control.send(AdvanceClock(app: Self.app, clock: "late", by: "P35D")) }
            try await expectNew { _ = try await server.buy("coins", by: "ann") }
        }
    }
}
