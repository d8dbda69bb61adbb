import Foundation
import Testing
import TillCore
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("Reset, snapshots and exports")
struct ResetTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    private func shop() async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(ClockName(Self.scope), .freeze(at: nil))
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/notifications")]
        }
        for customer in ["ann", "bob"] { try await test.buy("pro", by: customer) }
        try await test.buy("coins", by: "ann", in: .production)
        return test
    }

    private func text(_ shop: Shop, _ app: String? = nil) async throws -> [UInt8] {
        var text: [UInt8] = []
        try await shop.snapshots.export(app) { text += $0 }
        return text
    }

    private func take(_ text: [UInt8], into shop: Shop, by step: Int = 1_000) async throws -> Snapshot {
        var state = try StateImport(shop)
        var rest = text[...]
        do {
            while !rest.isEmpty {
                try await state.take(rest.prefix(step))
                rest = rest.dropFirst(step)
            }
        } catch {
            await state.abandon()
            throw error
        }
        return try await state.finish()
    }

    @Test("A snapshot that is restored a year later is identical byte for byte, and the shop continues from it")
    func restored() async throws {
        let test = try await shop()
        let before = try await text(test.shop)
        let saved = try await test.shop.snapshots.save("fresh", of: nil)
        #expect(saved.customers == 3 && saved.transactions == 3 && saved.notifications == 3)
        let first = try await test.shop.advance(ClockName(Self.scope), .byPeriod(Period(1, .year)))
        try await test.buy("coins", by: "cat")
        try await test.shop.setup.updateRules(of: Self.scope) { $0.endpoints = [] }
        _ = try await test.shop.faults.add(FaultRule(id: "", kind: .cut, seed: 1))
        #expect(try await text(test.shop) != before)

        _ = try await test.shop.restoreSnapshot("fresh")
        #expect(try await text(test.shop) == before)
        #expect(test.shop.faults.isEmpty)
        #expect(test.shop.endpoints(of: Self.scope).count == 1)
        let second = try await test.shop.advance(ClockName(Self.scope), .byPeriod(Period(1, .year)))
        #expect(second.notifications == first.notifications && second.accounts == 2)
        let ids = try await test.shop.storage.notifications(NotificationQuery(scope: Self.scope, limit: 100)).map(\.id)
        #expect(Set(ids).count == 26)
        #expect(try await test.shop.storage.examine().isEmpty)
    }

    @Test("A restore of one app begins a restore epoch of this app only, so cursors of other apps stay valid")
    func restoreEpochs() async throws {
        let test = try await shop()
        let (own, other) = (TestShop.bundleID, "com.example.other")
        _ = try await test.shop.snapshots.save("own", of: own)
        _ = try await test.shop.snapshots.save("all", of: nil)
        func epochs() -> [Int64] { [own, other].map { test.shop.restoreEpoch(of: $0) } }
        #expect(epochs() == [0, 0])
        _ = try await test.shop.restoreSnapshot("own")
        let second = epochs()
        #expect(second[0] != 0 && second[1] == 0)
        _ = try await test.shop.restoreSnapshot("all")
        let third = epochs()
        #expect(third[0] != second[0] && third[1] != 0)
        try await test.shop.reset(app: own, .everything)
        _ = try await test.shop.restoreSnapshot("own")
        #expect(!(second + third).contains(epochs()[0]) && epochs()[1] == third[1])
    }

    @Test("An exported state contains the shared secrets for receipts, but no private keys", arguments: [true, false])
    func secrets(isWhole: Bool) async throws {
        let test = try await shop()
        var app = test.app
        app.sharedSecret = "5f0c1d2e3b4a59687786a5b4c3d2e1f0"
        try await test.shop.registry.put(app)
        let file = try CatalogFixtures.bytes("peculiar/shared-key-pair-1")
        _ = try await test.shop.setup.importStoreKit(file, for: app)
        let account = try #require(
            try await test.shop.storage.account(
                of: CustomerName(AccountScope(environment: .sandbox, app: app.bundleID), "ann")
            )
        )
        // This call creates the keys that sign receipts.
        _ = try await test.shop.appReceipt(of: account)
        let exported = String(decoding: try await text(test.shop, isWhole ? nil : app.bundleID), as: UTF8.self)

        #expect(!exported.contains("PRIVATE KEY"))
        let pair = try #require(try StoreKitFile.read(file).offerKey)
        var keys = [Base64.encode(pair.privateKey)]
        let folder = test.directory.path
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let content = FileManager.default.contents(atPath: "\(folder)/\(path)") ?? Data()
            let text = String(decoding: content, as: UTF8.self)
            guard text.contains("PRIVATE KEY-----") else { continue }
            keys += text.split(separator: "\n").filter { !$0.contains("-----") && $0.utf8.count > 16 }.map(String.init)
        }
        // The root, the signing chain and the receipt keys have a file each.
        #expect(keys.count > 6)
        for key in keys { #expect(!exported.contains(key)) }
        #expect(exported.contains("5f0c1d2e3b4a59687786a5b4c3d2e1f0"))
        #expect(exported.contains(pair.id), "the public key is exported")
    }

    @Test("A reset erases the data of one app or of all apps, and keeps the settings")
    func reset() async throws {
        let test = try await shop()
        let catalog = test.shop.registry.catalog(of: TestShop.bundleID)
        let first = try #require(try await test.shop.storage.accounts(of: nil, after: nil, limit: 1).first)
        try await test.shop.reset(app: TestShop.bundleID, .happenings)
        #expect(try await test.shop.storage.accounts(of: nil, after: nil, limit: 10).isEmpty)
        #expect(test.shop.registry.catalog(of: TestShop.bundleID) == catalog)
        #expect(test.shop.endpoints(of: Self.scope).count == 1)
        let state = test.shop.clock(ClockName(Self.scope))
        #expect(state == ClockState.real)
        try await test.buy("pro", by: "ann")
        let again = try #require(try await test.shop.storage.accounts(of: nil, after: nil, limit: 1).first)
        #expect(again.id != first.id)

        try await test.shop.reset(app: TestShop.bundleID, .everything)
        #expect(test.shop.registry.apps.isEmpty && test.shop.registry.teams.count == 1)
        await #expect(throws: StateRefused.unknownApp(TestShop.bundleID, known: [])) {
            try await test.shop.reset(app: TestShop.bundleID, .everything)
        }
        try await test.shop.reset(app: nil, .everything)
        #expect(test.shop.registry.teams.isEmpty && test.shop.registry.keys.isEmpty)
    }

    @Test("Another Till imports an export in chunks of any size, and exports the same text again")
    func imported() async throws {
        let source = try await shop()
        let query = NotificationQuery(scope: Self.scope, limit: 10)
        let known = try await source.shop.storage.notifications(query)
        let payloads = try await source.signedPayloads(known)
        // No endpoint receives the notification of the purchase in production, so it is unsigned.
        let production = NotificationQuery(
            scope: AccountScope(environment: .production, app: TestShop.bundleID),
            limit: 10
        )
        let unsigned = try await source.shop.storage.notifications(production)
        #expect(known.count == 2 && !known.contains(where: \.content.isUnsigned))
        #expect(unsigned.map(\.content.isUnsigned) == [true])
        let text = try await text(source.shop, TestShop.bundleID)
        let target = try await TestShop()
        try await target.shop.reset(app: nil, .everything)
        for step in [7, 4_096, text.count] {
            let taken = try await take(text, into: target.shop, by: step)
            #expect(taken.customers == 3 && taken.transactions == 3 && taken.notifications == 3)
            #expect(try await self.text(target.shop, TestShop.bundleID) == text)
        }
        #expect(target.shop.registry.teams == source.shop.registry.teams)
        #expect(target.shop.registry.keys == source.shop.registry.keys)
        #expect(try await target.shop.storage.notifications(query) == source.shop.storage.notifications(query))
        #expect(try await target.signedPayloads(known) == payloads)
        #expect(try await target.shop.storage.notifications(production) == unsigned)
        let row = try await target.buy("coins", by: "zoe")
        #expect(try await source.shop.storage.transaction(row.id) == nil)
        #expect(try await target.shop.storage.snapshots().isEmpty)
        #expect(try await target.shop.storage.examine().isEmpty)
    }

    @Test("A modified export is rejected with the line number, and changes nothing")
    func refused() async throws {
        let test = try await shop()
        let text = String(decoding: try await text(test.shop, TestShop.bundleID), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func joined(_ change: (inout [String]) -> Void) -> String {
            var changed = lines
            change(&changed)
            return changed.joined(separator: "\n")
        }
        let accounts = try #require(lines.firstIndex { $0.contains(#""table":"accounts""#) })
        let documents = try #require(lines.firstIndex { $0.contains(#""table":"documents""#) })
        let deliveries = try #require(lines.firstIndex { $0.contains(#""table":"deliveries""#) })
        let wrong: [(String, Int, String)] = [
            ("", 1, "ends before"), ("{}", 1, "not a state"), ("[1]\n", 1, "not a state"),
            (joined { $0[0] = $0[0].replacing("\"format\":1", with: "\"format\":2") }, 1, "format is 2"),
            (joined { $0.removeLast(2) }, lines.count - 2, "ends before"),
            (joined { $0.remove(at: deliveries + 1) }, lines.count - 2, "digest"),
            (joined { $0[accounts + 1] += " " }, lines.count - 1, "digest"),
            (joined { $0[accounts + 1] = "[1,2]" }, accounts + 2, "not a row of accounts"),
            (joined { $0[accounts + 1] = "[[[[" }, accounts + 2, "not a row of accounts"),
            (
                joined { $0[accounts + 1] = $0[accounts + 1].replacing("sandbox", with: "moon") }, accounts + 2,
                "environment"
            ),
            (
                joined { $0[accounts + 1] = $0[accounts + 1].replacing("com.example.shop\",", with: "com.thief\",") },
                accounts + 2, "another app"
            ),
            (joined { $0[accounts] = $0[accounts].replacing("version", with: "verse") }, accounts + 1, "columns"),
            (joined { $0.insert(#"["x"]"#, at: 1) }, 2, "before any table"),
            (joined { $0.insert($0[documents], at: accounts) }, accounts + 1, "occurs twice"),
            (
                joined { $0[documents + 1] = $0[documents + 1].replacing("appleID", with: "pearID") }, documents + 2,
                "cannot be read"
            ),
            (joined { $0[accounts] = #"{"columns":[],"table":"orders"}"# }, accounts + 1, "no table orders"),
            (joined { $0.insert("nonsense", at: 3) }, 4, "neither"), (text + "more\n", lines.count, "follows"),
        ]
        let before = try await self.text(test.shop)
        for (changed, line, words) in wrong {
            do {
                _ = try await take(Array(changed.utf8), into: test.shop)
                Issue.record("imported: \(words)")
            } catch StateRefused.badFile(let place, let what) {
                #expect(place == line && what.contains(words), "\(place): \(what), not \(line): \(words)")
            }
        }
        #expect(try await self.text(test.shop) == before)
        #expect(try await test.shop.storage.snapshots().isEmpty)
    }

    @Test("A restore during operations, advances and deliveries results in one complete state")
    func concurrentRestore() async throws {
        let test = try await shop()
        let post = try await WebhookReceiver.start { _ in .status(200) }
        try await test.shop.setup.updateRules(of: Self.scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
        let deliveryWorker = try test.startSending()
        _ = try await test.shop.snapshots.save("fresh", of: TestShop.bundleID)
        for round in 0..<6 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask { _ = try? await test.buy("coins", by: "guest \(round)-\(number % 5)") }
                }
                group.addTask {
                    _ = try? await test.advanceAndSettle(ClockName(Self.scope), .byPeriod(Period(2, .month)))
                }
                group.addTask { _ = try? await test.shop.restoreSnapshot("fresh") }
            }
            #expect(try await test.shop.storage.examine().isEmpty)
        }
        await test.shop.gate.shared {}
        await test.stopSending(deliveryWorker)
        _ = try await test.shop.restoreSnapshot("fresh")
        let accounts = try await test.shop.storage.accounts(of: nil, after: nil, limit: 100)
        #expect(accounts.map(\.customer).sorted() == ["ann", "ann", "bob"])
        // Attempts that began before the last restore are not recorded.
        for entry in try await test.shop.storage.notifications(NotificationQuery(scope: Self.scope, limit: 100)) {
            #expect(try await test.shop.storage.deliveries(of: entry.id).allSatisfy { $0.attempts.isEmpty })
        }
        try await post.stop()
    }

    @Test("If erasing is forbidden, nothing can be erased")
    func forbidden() async throws {
        var settings = Settings()
        settings.allowReset = false
        let test = try await TestShop(selling: SampleCatalog.all, settings: settings)
        let text = try await text(test.shop)
        _ = try await test.shop.snapshots.save("fresh", of: nil)
        await #expect(throws: StateRefused.forbidden) { try await test.shop.reset(app: nil, .happenings) }
        await #expect(throws: StateRefused.forbidden) { try await test.shop.restoreSnapshot("fresh") }
        await #expect(throws: StateRefused.forbidden) { try await take(text, into: test.shop) }
    }

    @Test(
        "A snapshot name may contain only certain characters",
        arguments: ["", ".hidden", "a/b", "a b", "ä", String(repeating: "a", count: 65)]
    )
    func names(_ name: String) async throws {
        let test = try await TestShop()
        await #expect(throws: StateRefused.badName(name)) { try await test.shop.snapshots.save(name, of: nil) }
    }
}
