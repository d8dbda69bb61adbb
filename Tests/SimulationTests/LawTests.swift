import Foundation
import Testing
import TillCore
import TillShop
import TillTestSupport

/// Checks that single advances, daily advances and hourly advances give the same result.
@Suite("The result does not depend on how time passes")
struct LawTests {
    /// Whether `make soak` requested the long run.
    private static let isSoak = ProcessInfo.processInfo.environment["TILL_SOAK"] != nil

    @Test("Five hundred workloads on the rules of TillCore reach every transition")
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

    @Test("The simulation finds a mistake in the transition table", arguments: MistakenTable.Mistake.allCases)
    func mistakes(_ mistake: MistakenTable.Mistake) async {
        // `make soak` tries all lines of the table. Other runs try one line of each kind.
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

    @Test("The simulation finds a system whose state depends on the stops of the clock")
    func traces() async throws {
        let verdict = try await Simulation.judge(seed: 1, at: .days) { TracedSystem(inner: CoreUnderTest(for: $0)) }
        let failure = try #require(verdict.failure)
        #expect(failure.hasPrefix("seed 1: "))
    }

    @Test("The same seed gives the same workload, and another seed gives another workload")
    func seeds() {
        let workloads = [7, 7, 8].map { WorkloadGenerator.workload(of: $0) }
        let texts = workloads.map { workload in workload.operations.map { "\($0)" } }
        #expect(texts[0] == texts[1])
        #expect(texts[0] != texts[2])
        #expect(workloads[0].policy == workloads[1].policy)
    }

    @Test("A seed gives the same random numbers in every version")
    func random() {
        var random = SeededRandom(seed: 1_234_567)
        #expect(
            [random.next(), random.next(), random.next()] == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ]
        )
    }
}

/// A shop in which ann buys coins at every stop of its clock.
private struct TracedSystem: SystemUnderTest {
    var inner: CoreUnderTest

    mutating func advance(to instant: Timestamp, for customer: String?) {
        inner.advance(to: instant, for: customer)
        _ = inner.perform(.command(.purchase(Purchase(productID: "coins")), by: "ann"))
    }

    mutating func perform(_ operation: TillTestSupport.Operation) -> Refusal? { inner.perform(operation) }

    func observe() -> Observation { inner.observe() }
}

/// Checks the same with stored transactions, clocks and commits.
@Suite("The result does not depend on how time passes in a shop with a database")
struct StoreLawTests {
    @Test("A hundred workloads on SQLite give the same result in single and in daily advances")
    func sqlite() async throws { try await run(100, on: .sqlite) }

    @Test("Ten workloads on PostgreSQL give the same result in single and in daily advances")
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
