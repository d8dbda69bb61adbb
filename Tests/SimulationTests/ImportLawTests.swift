import Foundation
import Testing
import TillTestSupport

/// The law of the round trip (docs/client/import.md): a customer that is rebuilt from the answers of the App Store
/// Server API gives the same answers, and has the same future apart from facts that no answer shows.
@Suite("A customer that is rebuilt from the answers of the API is the same customer")
struct ImportLawTests {
    /// The number of customers: `TILL_IMPORT_LIVES`, or 300 in `make soak`, or a few.
    private static func lives(usually few: Int) -> Int {
        let environment = ProcessInfo.processInfo.environment
        return environment["TILL_IMPORT_LIVES"].flatMap { Int($0) } ?? (environment["TILL_SOAK"] == nil ? few : 300)
    }

    @Test("Random lives give the same answers after an import, and a year later")
    func sqlite() async throws { try await law(Self.lives(usually: 16), on: .sqlite) }

    @Test("Random lives give the same answers after an import on PostgreSQL, and a year later")
    func postgres() async throws { try await law(Self.lives(usually: 2), on: .postgres) }

    private func law(_ lives: Int, on engine: TestEngine) async throws {
        let (begun, parts) = (ContinuousClock.now, min(2, (lives + 1) / 2))
        let results = try await withThrowingTaskGroup(of: LawResult.self) { group in
            for part in 0..<parts {
                group.addTask {
                    var result = LawResult()
                    var seed = UInt64(1 + part)
                    while result.lives * parts < lives {
                        try await RoundTrip.run(seed: seed, on: engine, into: &result)
                        seed += UInt64(parts)
                    }
                    return result
                }
            }
            return try await group.reduce(into: LawResult()) { $0.add($1) }
        }
        let hidden = results.hidden.map { "\($0.value) × \($0.key.rawValue)" }.sorted()
        let words = "\(results.lives) lives on \(engine.rawValue) in \(ContinuousClock.now - begun)"
        print("\(words); they differed in: \(hidden.joined(separator: "; "))")
        #expect(results.lives >= lives)
        #expect(results.transactions > lives, "the lives have too few transactions to prove anything")
        let failures = results.failures.sorted()
        #expect(failures.isEmpty, "\(failures.count) failed; \(failures.prefix(5).joined(separator: "\n"))")
    }
}
