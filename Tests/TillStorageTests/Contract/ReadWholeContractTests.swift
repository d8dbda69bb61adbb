import Synchronization
import Testing
import TillCore
import TillStorage

@Suite("Every storage engine can read all data as of one moment")
struct ReadWholeContractTests {
    private final class Parts: Sendable {
        private let parts = Mutex<[StoredPart]>([])

        func add(_ part: StoredPart) { parts.withLock { $0.append(part) } }
        var all: [StoredPart] { parts.withLock { $0 } }
    }

    private func counts(_ parts: [StoredPart]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for part in parts {
            switch part {
            case .highWater(let mark): counts["mark"] = Int(mark)
            case .rows(let rows, let table, nil): counts[table.rawValue, default: 0] += rows.count
            case .audit(let records): counts["audit", default: 0] += records.count
            case .snapshot(let snapshot): counts[snapshot.name] = 0
            case .rows(let rows, let table, let snapshot?):
                counts["\(snapshot.name)/\(table.rawValue)", default: 0] += rows.count
            }
        }
        return counts
    }

    @Test("No part of a complete read contains a concurrent commit", arguments: Engine.allCases)
    func moment(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        for counter in 1...3 {
            let account = fixture.account("customer \(counter)", number: Int64(counter))
            let rows = (1...4).map { fixture.row(account, Int64(counter * 100 + $0)) }
            _ = try await fixture.commit(account, rows: rows)
            try await fixture.notify(account, number: Int64(counter))
        }
        _ = try await storage.save(Snapshot(name: "fresh", app: nil, savedAt: Timestamp(milliseconds: 5)))
        let mark = try await storage.reserveIdentifiers(500).upperBound
        let parts = Parts()
        try await storage.readWhole { part in
            parts.add(part)
            let number = Int64(50 + parts.all.count)
            _ = try await storage.reserveIdentifiers(10)
            let account = fixture.account("late \(number)", number: number)
            _ = try await fixture.commit(account, rows: [fixture.row(account, number * 100)])
            try await fixture.notify(account, number: number)
        }
        let counts = counts(parts.all)
        #expect(counts["mark"] == Int(mark))
        #expect(counts["accounts"] == 3 && counts["ledger"] == 12)
        #expect(counts["outbox"] == 3 && counts["deliveries"] == 3)
        #expect(counts["fresh"] == 0 && counts["fresh/accounts"] == 3 && counts["fresh/ledger"] == 12)
    }

    @Test("The consumer can stop a complete read, and the engine continues", arguments: Engine.allCases)
    func stopped(_ engine: Engine) async throws {
        struct Enough: Error {}
        let fixture = try StorageFixture(engine)
        for _ in 0..<10 {
            await #expect(throws: Enough.self) { try await fixture.storage.readWhole { _ in throw Enough() } }
        }
        try await fixture.storage.ping()
    }
}
