import Foundation
import Testing
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@Suite("The request log")
struct RequestLogTests {
    private func entry(_ number: Int) -> RequestLogEntry {
        RequestLogEntry(
            id: "ID\(number)",
            at: Timestamp(milliseconds: Int64(number)),
            environment: .sandbox,
            method: "GET",
            path: "/",
            status: 401,
            explanation: "no"
        )
    }

    @Test("A request log entry is found at once, before it is written to the store")
    func atOnce() async throws {
        let test = try await TestShop()
        await test.shop.requestLog.note(entry(1))
        #expect(try await test.shop.requestLog.entry("ID1") == entry(1))
        #expect(try await test.shop.requestLog.entry("ID2") == nil)
    }

    @Test("During a flood of requests, the newest entries are kept, up to the configured number")
    func flood() async throws {
        let test = try await TestShop(settings: Settings(requestLogLength: 50))
        for number in 1...5_000 { await test.shop.requestLog.note(entry(number)) }
        let latest = try await test.shop.requestLog.latest(100)
        #expect(latest.first?.id == "ID5000")
        #expect(latest.count == 50)
    }

    @Test("A request id has 26 base-32 characters and a suffix, and is unique")
    func requestIDs() {
        let ids = (0..<2_000).map { _ in RequestID.make() }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect(id.hasSuffix(".0.0") && id.utf8.count == 30)
            #expect(id.dropLast(4).allSatisfy { ("A"..."Z").contains($0) || ("2"..."7").contains($0) })
        }
    }
}
