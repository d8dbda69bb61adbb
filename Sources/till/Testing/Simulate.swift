import ArgumentParser
import Foundation
import TillJSON
import TillShop
import TillTesting

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs random customer histories and checks that the clock's speed never changes the result.",
        discussion: """
            till simulate --seeds 10000             a year each: in one advance, day by day, and 60 days hour by hour
            till simulate --seed 4711               one of them again

            Needs no server and stores nothing. Stops at the first failing seed and prints the seed, the difference
            and all operations; exit code 1.
            """
    )

    @Option(help: "The number of random histories.")
    var seeds: Int = 1_000
    @Option(help: "The seed of the first history.")
    var first: UInt64 = 1
    @Option(help: "Only this seed.")
    var seed: UInt64?
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds is 1 or more.") }
        guard first <= UInt64.max - UInt64(seeds) else {
            throw ValidationError("--first is too high for \(seeds) seeds.")
        }
    }

    func run() async throws {
        let chosen = seed.map { $0...$0 } ?? first...(first + UInt64(seeds) - 1)
        var count = TransitionCount()
        var lived = 0
        var failure: Simulation.Verdict?
        await withTaskGroup(of: Simulation.Verdict.self) { group in
            var next = chosen.lowerBound
            func begin() {
                guard next <= chosen.upperBound, failure == nil else { return }
                let seed = next
                next += 1
                group.addTask { await Simulation.judge(seed: seed) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { begin() }
            for await verdict in group {
                count.add(verdict.count)
                lived += 1
                if verdict.failure != nil, verdict.seed < failure?.seed ?? .max { failure = verdict }
                if lived.isMultiple(of: 100) { FileHandle.standardError.write(Data("\(lived) histories\n".utf8)) }
                begin()
            }
        }
        Output.show(Simulate.answer(lived, count, failure), asJSON: json) { _ in
            failure?.failure ?? "\(lived) histories, each with the same result at every speed.\n\n\(count.text)"
        }
        if failure != nil { throw ExitCode(1) }
    }

    private static func answer(_ lived: Int, _ count: TransitionCount, _ failure: Simulation.Verdict?) -> JSONTree {
        var members: [JSONTree.Member] = []
        if let failure, let text = failure.failure {
            members = [
                JSONTree.Member("failingSeed", .number(String(failure.seed))),
                JSONTree.Member("failure", .string(text)),
            ]
        }
        let transitions = Transition.allCases.map {
            JSONTree.Member($0.rawValue, .number(String(count.reached[$0, default: 0])))
        }
        members += [
            JSONTree.Member("lives", .number(String(lived))), JSONTree.Member("transitions", .object(transitions)),
        ]
        return .object(members)
    }
}
