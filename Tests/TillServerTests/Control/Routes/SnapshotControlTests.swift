import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillTestSupport

/// Checks snapshots, resets and imports. That a restored state is the saved one byte for byte is tested in
/// Tests/TillShopTests/Backup/ResetTests.swift.
@Suite("Snapshots, through the control API")
struct SnapshotControlTests {
    private static let neighbour = "com.example.neighbour"

    /// Runs a test with a second app of the same team and the same catalog, and with a frozen sandbox clock.
    private static func run(_ body: @escaping @Sendable (TypedControl) async throws -> Void) async throws {
        try await TypedControl.run { control in
            let issuer = control.test.app.issuerID
            _ = try await control.send(CreateApp(bundleId: neighbour, issuerId: issuer))
            let catalog = try await control.send(GetCatalog(bundleId: TestShop.bundleID))
            _ = try await control.till.upload(PutCatalog(bundleId: neighbour), catalog)
            _ = try await control.send(SetClock(app: control.app, mode: .frozen))
            try await body(control)
        }
    }

    private static func export(_ control: TypedControl, of bundleId: String? = nil) async throws -> [UInt8] {
        var text: [UInt8] = []
        for try await chunk in try await control.till.download(ExportState(bundleId: bundleId)) { text += chunk }
        return text
    }

    @Test("A restore returns what was saved, for all apps")
    func restore() async throws {
        try await Self.run { control in
            let other = AppEnvironment(Self.neighbour)
            _ = try await control.send(CreateCustomer(app: other, customer: "zoe"))
            _ = try await control.send(
                SetEndpoint(app: control.app, endpoint: "primary", url: "http://127.0.0.1:9/")
            )
            for number in 0..<10 { try await control.buy("basic", by: "guest \(number)") }
            _ = try await control.send(AdvanceClock(app: control.app, by: "P6M"))
            _ = try await control.send(AddFault(kind: .cut, bundleId: TestShop.bundleID))
            let saved = try await control.send(SaveSnapshot(name: "half-a-year"))
            #expect(saved.customers == 11 && saved.transactions == 70 && saved.notifications == 70)
            let before = try await Self.export(control)
            let month = AdvanceClock(app: control.app, by: "P1M")
            _ = try await control.send(month)
            _ = try await control.send(CreateCustomer(app: control.app, customer: "dan"))
            _ = try await control.send(RemoveFaults())
            try await control.buy("coins", by: "zoe", in: other)
            #expect(try await Self.export(control) != before)
            #expect(try await control.send(RestoreSnapshot(name: "half-a-year")).json == saved.json)
            #expect(try await Self.export(control) == before)
            #expect(try await control.send(ListSnapshots()).map { try $0.json } == [saved.json])
            #expect(try await control.send(ListFaults()).map(\.kind) == [.cut])
            // The restored shop continues: the next month has the same effects as it had before.
            let report = try await control.send(month)
            #expect(try report.notifications.json == [TypedControl.count(.didRenew, nil, 10)].json)
        }
    }

    @Test("Restoring an app does not change other apps")
    func oneApp() async throws {
        try await Self.run { control in
            let other = AppEnvironment(Self.neighbour)
            try await control.buy("basic", by: "ann")
            _ = try await control.send(CreateCustomer(app: other, customer: "zoe"))
            _ = try await control.send(SaveSnapshot(name: "one", bundleId: TestShop.bundleID))
            let mine = try await Self.export(control, of: TestShop.bundleID)
            _ = try await control.send(AdvanceClock(app: control.app, by: "P1Y"))
            try await control.buy("coins", by: "zoe", in: other)
            let theirs = try await Self.export(control, of: Self.neighbour)
            _ = try await control.send(RestoreSnapshot(name: "one"))
            #expect(try await Self.export(control, of: TestShop.bundleID) == mine)
            #expect(try await Self.export(control, of: Self.neighbour) == theirs)
            _ = try await control.send(RemoveSnapshot(name: "one"))
            try await control.expectRefusal(404, "unknown_snapshot", of: RestoreSnapshot(name: "one"))
        }
    }

    @Test("Ids from before a restore are never reused, and a revision that is newer than the snapshot misses nothing")
    func identifiers() async throws {
        try await Self.run { control in
            func pages(_ path: String, _ revision: String? = nil) async throws -> (ids: [String?], revision: String) {
                let query = revision.map { "?revision=\($0)" } ?? ""
                let answer = try await control.apple(.get, path + query)
                #expect(answer.status == 200 && answer.json["hasMore"] == .bool(false), "\(answer)")
                let ids = try answer.signedTransactions.map { try control.payload(of: $0)["transactionId"]?.text }
                return (ids, answer.json["revision"]?.text ?? "")
            }
            func buyAndRefund() async throws -> (id: String, notifications: Set<String>) {
                let id = try await control.buy("coins", by: "ann").transactionId
                _ = try await control.send(RefundTransaction(app: control.app, transactionId: id))
                let listed = try await control.send(ListNotifications(app: control.app, limit: 2)).notifications
                #expect(Set(listed.map(\.notificationType)) == ["REFUND", "ONE_TIME_CHARGE"])
                return (id, Set(listed.map(\.notificationUUID)))
            }
            let kept = try await control.buy("coins", by: "ann").transactionId
            let paths = ["/inApps/v2/history/\(kept)", "/inApps/v2/refund/lookup/\(kept)"]
            _ = try await control.send(SaveSnapshot(name: "before"))
            let lost = try await buyAndRefund()
            var revisions: [String] = []
            for path in paths {
                revisions.append(try await pages(path).revision)
                #expect(try await pages(path, revisions.last).ids == [])
            }
            _ = try await control.send(RestoreSnapshot(name: "before"))
            let found = try await buyAndRefund()
            #expect(found.id != lost.id && found.notifications.isDisjoint(with: lost.notifications))
            // Such a client reads once from the beginning.
            for (place, (path, expected)) in zip(paths, [[kept, found.id], [found.id]]).enumerated() {
                let again = try await pages(path, revisions[place])
                #expect(again.ids == expected)
                #expect(try await pages(path, again.revision).ids == [])
            }
        }
    }

    @Test("Names and the number of snapshots have limits")
    func limits() async throws {
        try await Self.run { control in
            for name in [".hidden", "a b", String(repeating: "x", count: 65)] {
                try await control.expectRefusal(400, "bad_name", of: SaveSnapshot(name: name))
            }
            for number in 0..<100 { _ = try await control.send(SaveSnapshot(name: "s\(number)")) }
            try await control.expectRefusal(409, "too_many_snapshots", of: SaveSnapshot(name: "s100"))
            _ = try await control.send(SaveSnapshot(name: "s7"))
            for number in 0..<100 { _ = try await control.send(RemoveSnapshot(name: "s\(number)")) }
            try await control.expectRefusal(404, "unknown_snapshot", of: RemoveSnapshot(name: "s7"))
        }
    }

    @Test("A reset erases data and keeps settings, and a fault rule of the whole server belongs to no app")
    func reset() async throws {
        try await Self.run { control in
            _ = try await control.send(
                SetEndpoint(app: control.app, endpoint: "primary", url: "http://127.0.0.1:9/")
            )
            try await control.buy("basic", by: "ann")
            _ = try await control.send(AddFault(kind: .cut))
            _ = try await control.send(Reset(bundleId: TestShop.bundleID))
            #expect(try await control.send(ListCustomers(app: control.app)).customers.isEmpty)
            #expect(try await control.send(ListNotifications(app: control.app)).notifications.isEmpty)
            #expect(try await control.send(GetClock(app: control.app)).mode == .real)
            #expect(try await control.send(ListEndpoints(app: control.app)).count == 1)
            #expect(try await control.send(ListFaults()).count == 1)
            try await control.buy("basic", by: "ann")
            _ = try await control.send(Reset())
            #expect(try await control.send(ListFaults()).isEmpty)
            _ = try await control.send(Reset(bundleId: TestShop.bundleID, everything: true))
            try await control.expectRefusal(404, "unknown_app", of: GetApp(bundleId: TestShop.bundleID))
            #expect(try await control.send(ListKeys()).count == 1)
            _ = try await control.send(Reset(everything: true))
            #expect(try await control.send(ListKeys()).isEmpty)
            #expect(try await control.send(ListTeams()).isEmpty)
            _ = try await control.send(Reset())
            try await control.expectRefusal(404, "unknown_app", of: Reset(bundleId: "com.example.unknown"))
        }
    }

    @Test("An import needs the media type of JSON lines, and returns the numbers of what it imported")
    func imports() async throws {
        try await Self.run { control in
            try await control.buy("coins", by: "ann")
            let text = try await Self.export(control)
            #expect(try await control.till.upload(ImportState(), text).customers == 1)
            #expect(try await Self.export(control) == text)
            let answer = try await control.ask(.put, "/v1/state", "x", type: "text/plain")
            #expect(answer.status == 415)
        }
    }

    @Test("Where erasing is not allowed, a reset and a restore are refused")
    func forbidden() async throws {
        var settings = Settings()
        settings.allowReset = false
        try await TypedControl.run(try await TestShop(settings: settings)) { control in
            _ = try await control.send(SaveSnapshot(name: "fresh"))
            try await control.expectRefusal(403, "reset_not_allowed", of: Reset())
            try await control.expectRefusal(403, "reset_not_allowed", of: RestoreSnapshot(name: "fresh"))
        }
    }
}
