import Foundation
import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("A restored state is unchanged, even if events or advances were in progress")
struct RestoreTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let clock = ClockName(scope)

    private func text(_ shop: Shop) async throws -> [UInt8] {
        var text: [UInt8] = []
        try await shop.snapshots.export(nil) { text += $0 }
        return text
    }

    @Test("Events that fell due on a clock before the restore do not happen in the restored state")
    func ticking() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        for number in 0..<50 { try await test.buy("pro", by: "customer \(number)") }
        let before = try await text(test.shop)
        _ = try await test.shop.snapshots.save("fresh", of: nil)
        let ticker = Ticker(test.shop)
        for round in 1...2 {
            _ = try await test.shop.setClock(Self.clock, .run(speed: 1))
            test.advance(3 * 31_536_000_000)
            await ticker.tick()
            while test.shop.gate.inside == 0 { await Task.yield() }
            try await Task.sleep(for: .milliseconds(20 * round))
            _ = try await test.shop.restoreSnapshot("fresh")
            try await Task.sleep(for: .milliseconds(200))
            await test.shop.gate.shared {}
            #expect(try await text(test.shop) == before)
        }
    }

    @Test("A restore completes the advance during which the snapshot was saved")
    func advancing() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        try await test.buy("pro", by: "ann")
        let target = Period(1, .year).end(from: test.shop.now(on: Self.clock))
        var record = test.shop.clocks.record(Self.clock)
        record.pendingAdvance = Clocks.Advance(to: target, speed: 0)
        try await test.shop.clocks.put(record)
        _ = try await test.shop.snapshots.save("leaping", of: TestShop.bundleID)
        try await test.shop.reset(app: TestShop.bundleID, .happenings)
        _ = try await test.shop.restoreSnapshot("leaping")
        for _ in 0..<500 where test.shop.clocks.record(Self.clock).pendingAdvance != nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(test.shop.clock(Self.clock) == .frozen(at: target))
    }

    @Test("A deleted fault is restored under its name, although newer faults exist")
    func faults() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let responder = test.shop.faults
        var rule = FaultRule(id: "", kind: .cut, seed: 1)
        rule.app = TestShop.bundleID
        let first = try await responder.add(rule)
        _ = try await test.shop.snapshots.save("faulty", of: TestShop.bundleID)
        _ = try await responder.remove(nil)
        let second = try await responder.add(FaultRule(id: "", kind: .half, seed: 1))
        _ = try await test.shop.restoreSnapshot("faulty")
        #expect(responder.all.map(\.rule) == [first, second].compactMap { $0 })
        let again = try await FaultRules(storage: test.shop.storage, wallClock: { test.now })
        #expect(try await again.add(FaultRule(id: "", kind: .half, seed: 1))?.id == "f3")
    }

    @Test("A copy that a crash left incomplete is deleted at once; a copy in progress is kept")
    func leftovers() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let present = test.shop.snapshots.temporaryName("export")
        for name in [".export-of-another-life", present] {
            _ = try await test.shop.storage.save(Snapshot(name: name, app: nil, savedAt: test.now))
        }
        await test.shop.snapshots.removeUnfinished()
        #expect(try await test.shop.storage.snapshots().map(\.name) == [present])
    }
}
