import Testing
import TillTesting

/// A life in one leap is the same life day by day and hour by hour.
@Suite("A life is the same however time passes")
struct LawTests {
    @Test("Five hundred lives of the rules alone, and every transition in them")
    func core() async {
        let verdicts = await withTaskGroup(of: [Simulation.Verdict].self) { group in
            for part in 0..<4 {
                group.addTask {
                    var verdicts: [Simulation.Verdict] = []
                    for seed in stride(from: UInt64(1 + part), through: 500, by: 4) {
                        verdicts.append(await Simulation.judge(seed: seed))
                    }
                    return verdicts
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(verdicts.count == 500)
        let failures = verdicts.sorted { $0.seed < $1.seed }.compactMap(\.failure)
        #expect(failures.isEmpty, "\(failures.count) seeds failed; the first: \(failures.first ?? "")")
        let count = verdicts.reduce(into: TransitionCount()) { $0.add($1.count) }
        print(count.text)
        #expect(count.rare(below: 5).isEmpty)
        #expect(count.unused.isEmpty)
        #expect(count.strange.isEmpty)
    }
}
