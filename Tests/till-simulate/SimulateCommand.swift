import ArgumentParser
import Foundation
import TillTestSupport

/// The command of a tool for developers of Till. No shipped binary contains it.
@main
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till-simulate",
        abstract: "Runs random customer histories and checks that the clock's speed never changes the result.",
        discussion: """
            till-simulate --seeds 10000             each a year: in one advance, day by day, and 60 days hour by hour
            till-simulate --seed 4711               one of the histories again

            Needs no server and stores nothing. At the first failing seed the tool stops and prints the seed, the
            difference and all operations; the exit code is then 1.
            """
    )

    @Option(help: "The number of random histories.")
    var seeds: Int = 1_000
    @Option(help: "The seed of the first history.")
    var first: UInt64 = 1
    @Option(help: "Runs only the history with this seed.")
    var seed: UInt64?
    @Flag(help: "Prints the result as JSON.")
    var json = false

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds must be 1 or more.") }
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
        if json {
            print(try Answer(lived, count, failure).text)
        } else {
            print(failure?.failure ?? "\(lived) histories, each with the same result at every speed.\n\n\(count.text)")
        }
        if failure != nil { throw ExitCode(1) }
    }

    /// What `--json` prints.
    private struct Answer: Encodable {
        let failingSeed: UInt64?
        let failure: String?
        let lives: Int
        let transitions: [String: Int]

        init(_ lives: Int, _ count: TransitionCount, _ failure: Simulation.Verdict?) {
            failingSeed = failure?.seed
            self.failure = failure?.failure
            self.lives = lives
            let reached = Transition.allCases.map { ($0.rawValue, count.reached[$0, default: 0]) }
            transitions = Dictionary(uniqueKeysWithValues: reached)
        }

        var text: String {
            get throws {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                return String(decoding: try encoder.encode(self), as: UTF8.self)
            }
        }
    }
}
