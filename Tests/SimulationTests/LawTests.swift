import Foundation
import Testing
import TillCore
import TillTestSupport

/// One advance, daily advances and hourly advances give the same result.
@Suite("The result does not depend on how time passes")
struct LawTests {
    /// Whether the long run is requested (`make soak`).
    private static let isSoak = ProcessInfo.processInfo.environment["TILL_SOAK"] != nil

    @Test("Five hundred workloads on the rules alone reach every transition")
    func core() async {
        let workloads: UInt64 = Self.isSoak ? 10_000 : 500
        let lines = LineCount()
        let verdicts = await withTaskGroup(of: [Simulation.Verdict].self) { group in
            for part in 0..<4 {
                group.addTask {
                    var verdicts: [Simulation.Verdict] = []
                    for seed in stride(from: UInt64(1 + part), through: workloads, by: 4) {
                        verdicts.append(await Simulation.judge(seed: seed, rule: lines.rule))
                    }
                    return verdicts
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(verdicts.count == workloads)
        let failures = verdicts.sorted { $0.seed < $1.seed }.compactMap(\.failure)
        #expect(failures.isEmpty, "\(failures.count) seeds failed; the first: \(failures.first ?? "")")
        let count = verdicts.reduce(into: TransitionCount()) { $0.add($1.count) }
        print(count.text)
        #expect(count.rare(below: 5).isEmpty, "rows of the table that were reached fewer than five times")
        #expect(count.unused.isEmpty, "commands that were always refused")
        #expect(count.strange.isEmpty, "transitions that are not in the table")
        let unused = TransitionMatrix().handled.filter { lines[$0] == 0 }
        #expect(unused.isEmpty, "lines of the transition table that no workload used")
    }

    @Test("The laws find mistakes in the transition table", arguments: MistakenTable.Mistake.allCases)
    func mistakes(_ mistake: MistakenTable.Mistake) async {
        // `make soak` tries all lines; these are one of each kind.
        let sample: Set<TransitionLine> = [
            TransitionLine(.active, .renewal), TransitionLine(.gracePeriod, .endOfGrace),
            TransitionLine(.paidAhead, .refund), TransitionLine(.billingRetry, .recovery),
        ]
        for line in MistakenTable.lines(for: mistake) where Self.isSoak || sample.contains(line) {
            let found = await MistakenTable(mistake, in: line).discovery(within: 200)
            let words = found.map { "found after \($0.workloads) workloads: \($0.finding)" } ?? "NOT FOUND"
            print("\(mistake.rawValue): \(line): \(words)")
            #expect(found != nil, "\(mistake.rawValue): \(line)")
        }
    }

    @Test("A system whose state depends on stops is detected")
    func traces() async throws {
        let verdict = try await Simulation.judge(seed: 1, at: .days) { TracedSystem(inner: CoreUnderTest(for: $0)) }
        let failure = try #require(verdict.failure)
        #expect(failure.hasPrefix("seed 1: "))
    }

    @Test("The same seed gives the same workload, another seed another")
    func seeds() {
        let workloads = [7, 7, 8].map { WorkloadGenerator.workload(of: $0) }
        let texts = workloads.map { workload in workload.operations.map { "\($0)" } }
        #expect(texts[0] == texts[1])
        #expect(texts[0] != texts[2])
        #expect(workloads[0].policy == workloads[1].policy)
    }

    @Test("Random numbers are the same in every version")
    func random() {
        var random = SeededRandom(seed: 1_234_567)
        #expect(
            [random.next(), random.next(), random.next()] == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ]
        )
    }
}

/// A shop that sells a product whenever its time advances.
private struct TracedSystem: SystemUnderTest {
    var inner: CoreUnderTest

    mutating func advance(to instant: Timestamp, for customer: String?) {
        inner.advance(to: instant, for: customer)
        _ = inner.perform(.command(.purchase(Purchase(productID: "coins")), by: "ann"))
    }

    mutating func perform(_ operation: TillTestSupport.Operation) -> Refusal? { inner.perform(operation) }

    func observe() -> Observation { inner.observe() }
}

/// The same law with real rows, clocks and commits.
@Suite("On a store the result does not depend on how time passes")
struct StoreLawTests {
    @Test("A hundred workloads on SQLite, in single advances and day by day")
    func sqlite() async throws { try await run(100, on: .sqlite) }

    @Test("Ten workloads on PostgreSQL, in single advances and day by day")
    func postgres() async throws { try await run(10, on: .postgres) }

    private func run(_ workloads: UInt64, on engine: TestEngine) async throws {
        let failures = try await withThrowingTaskGroup(of: [String].self) { group in
            for part in 0..<2 {
                group.addTask {
                    var failures: [String] = []
                    for seed in stride(from: UInt64(1 + part), through: workloads, by: 2) {
                        let verdict = try await Simulation.judge(seed: seed, at: .days) {
                            try await ShopUnderTest(for: $0, on: engine)
                        }
                        if let failure = verdict.failure { failures.append(failure) }
                    }
                    return failures
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(failures.isEmpty, "\(failures.count) seeds failed; the first: \(failures.sorted().first ?? "")")
    }
}
