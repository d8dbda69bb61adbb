import Testing
import TillControl
import TillJSON
import TillTestSupport

/// Checks which notifications a request to prune deletes.
@Suite("Retention of notifications, through the control API")
struct RetentionControlTests {
    /// The answer to a request to prune that deletes or counts notifications without deliveries.
    private static func answer(_ notifications: Int, isDryRun: Bool = false) throws -> JSONTree {
        let text = """
            {"dryRun":\(isDryRun),"notifications":\(notifications),"deliveries":0,"pending":0,
             "productionDays":180,"sandboxDays":30}
            """
        return try JSONTree.parse(Array(text.utf8))
    }

    @Test("Pruning counts and deletes old notifications only")
    func pruning() async throws {
        try await TypedControl.run { control in
            for _ in 1...5 { try await control.buy("coins", by: "ann") }
            control.test.advance(1_000)
            let list = ListNotifications(app: control.app, limit: 100)
            let before = try await control.send(list).notifications
            #expect(before.count == 5)
            #expect(try await control.send(PruneNotifications()).json == Self.answer(0))
            #expect(try await control.send(PruneNotifications(days: 1)).json == Self.answer(0))
            let counted = try await control.send(PruneNotifications(days: 0, dryRun: true))
            #expect(try counted.json == Self.answer(5, isDryRun: true))
            let kept = try await control.send(list).notifications
            #expect(try kept.json == before.json)
            #expect(try await control.send(PruneNotifications(days: 0)).json == Self.answer(5))
            #expect(try await control.send(list).notifications.isEmpty)
            #expect(try await control.refusal(of: PruneNotifications(days: -1))?.status == 400)
        }
    }
}
