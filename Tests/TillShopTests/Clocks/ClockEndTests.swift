import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Certificates are valid until 2100, so nothing may be signed with a later date.
@Suite("Clocks stop before the certificates expire")
struct ClockEndTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let clock = ClockName(scope)
    private static let last = ClockState.end.advanced(milliseconds: -1)

    private func expectBeyond(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("The clock was set.")
        } catch let refused as ClockRefused {
            #expect(refused.code == "beyond_the_certificates")
        } catch {
            Issue.record(error)
        }
    }

    @Test("No clock can be set to the end of the certificates or beyond it, or be created there")
    func set() async throws {
        let test = try await TestShop()
        for instant in [ClockState.end, ClockState.end.advanced(milliseconds: 86_400_000)] {
            await expectBeyond { _ = try await test.shop.setClock(Self.clock, .freeze(at: instant)) }
            await expectBeyond { _ = try await test.shop.advance(Self.clock, .to(instant)) }
            let own = ClockName(Self.scope, own: "own")
            await expectBeyond { try await test.shop.createClock(own, .frozen(at: instant)) }
            let running = ClockState.running(from: instant, since: test.now, speed: 1)
            await expectBeyond { try await test.shop.createClock(own, running) }
        }
        #expect(test.shop.now(on: Self.clock) == test.now)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: Self.last))
        await expectBeyond { _ = try await test.shop.setClock(Self.clock, .run(speed: 1)) }
    }

    @Test(
        "A running clock stops at the end of the certificates, and later events never fall due",
        arguments: [1, 10_000_000.0]
    )
    func run(speed: Double) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: Self.last.advanced(milliseconds: -2_000)))
        try await test.buy("pro", by: "ann")
        _ = try await test.shop.setClock(Self.clock, .run(speed: speed))
        test.advance(1_000)
        #expect(test.shop.now(on: Self.clock) == (speed == 1 ? Self.last.advanced(milliseconds: -1_000) : Self.last))
        test.advance(365 * 86_400_000)
        #expect(test.shop.now(on: Self.clock) == Self.last)
        let ticker = Ticker(test.shop)
        await ticker.tick()
        let account = try #require(try await test.sandbox.account(of: "ann"))
        #expect(account.rowCount == 1)
        // The stopped clock can still be frozen at its time.
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        #expect(test.shop.clocks.state(Self.clock) == .frozen(at: Self.last))
    }

    @Test("A clock that an earlier version started beyond the end of the certificates keeps its start")
    func earlier() {
        let start = ClockState.end.advanced(milliseconds: 5_000)
        let since = Timestamp(milliseconds: 0)
        let state = ClockState.running(from: start, since: since, speed: 1)
        #expect(state.shown(realTime: since.advanced(milliseconds: 1_000)) == start)
        #expect(ClockState.frozen(at: start).shown(realTime: since) == start)
        #expect(ClockState.real.shown(realTime: start) == start)
    }
}
