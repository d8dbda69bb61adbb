import ArgumentParser
import Foundation
import TillShop
import TillTesting

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lives random lives of customers, and proves that the pace of time alters nothing in them.",
        discussion: """
            till simulate --seeds 10000             a year each, in leaps, day by day, and sixty days hour by hour
            till simulate --seed 4711               one of them again

            No server is needed, and nothing is kept. Stops at the first seed that fails and prints it first, with
            what differs and all that was done; exit code 1.
            """
    )

    @Option(help: "How many lives.")
    var seeds: Int = 1_000
    @Option(help: "The seed of the first.")
    var first: UInt64 = 1
    @Option(help: "Only this seed.")
    var seed: UInt64?
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds is 1 or more.") }
        guard first <= UInt64.max - UInt64(seeds) else {
            throw ValidationError("--first is too high for so many seeds.")
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
                if lived.isMultiple(of: 100) { FileHandle.standardError.write(Data("\(lived) lives\n".utf8)) }
                begin()
            }
        }
        Output.show(Simulate.answer(lived, count, failure), asJSON: json) { _ in
            failure?.failure ?? "\(lived) lives, each the same at every pace.\n\n\(count.text)"
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
