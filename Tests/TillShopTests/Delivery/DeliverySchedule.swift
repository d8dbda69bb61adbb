import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// A random schedule of events around the delivery worker. The same seed makes the same schedule.
struct DeliverySchedule {
    /// A notification to enqueue.
    struct New {
        let original: Int?
        let type: String
        let endpoints: [String]
        let clock: Int
        /// The time in milliseconds until it is due on its clock.
        let delay: Int64
    }

    enum Step {
        case add([New])
        /// Moves real time by milliseconds.
        case pass(Int64)
        case freeze(clock: Int)
        case run(clock: Int, speed: Double)
        case advance(clock: Int, Int64)
        case pause(String, Bool)
        case remove(String)
        case restore(String)
        case fault(FaultKind, type: String, milliseconds: Int)
        case clearFaults
        /// Lets this share of the posts hang, in percent, until the worker is replaced by a new one.
        case restart(Int)
        /// Lets this share of the posts hang, in percent, while a clock is advanced.
        case hang(Int, clock: Int, Int64)
    }

    static let endpoints = ["primary", "mirror"]
    static let types = (0..<4).map { "T\($0)" }
    static let hour: Int64 = 3_600_000

    let seed: UInt64
    /// The number of clocks: the environment's, and maybe a customer clock.
    let clocks: Int
    private(set) var steps: [Step] = []

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        clocks = random.number(in: 1...2)
        for _ in 0..<random.number(in: 4...14) { steps.append(step(&random)) }
    }

    private func step(_ random: inout SeededRandom) -> Step {
        let clock = random.number(in: 0...clocks - 1)
        let endpoint = random.pick(Self.endpoints) ?? EndpointRecord.primary
        let span = Int64(random.number(in: 1...40)) * (random.chance(50) ? Self.hour : 60_000)
        switch random.number(in: 1...100) {
        case ...34: return .add(notifications(&random))
        case ...48: return .pass(random.chance(30) ? Int64(random.number(in: 1...6_000)) : span)
        case ...53: return .freeze(clock: clock)
        case ...60: return .run(clock: clock, speed: random.pick([1, 60, 3_600]) ?? 1)
        case ...72: return .advance(clock: clock, span)
        case ...76: return .pause(endpoint, random.chance(50))
        case ...78: return .remove(endpoint)
        case ...82: return .restore(endpoint)
        case ...88:
            let kind = random.pick([FaultKind.reorder, .reorder, .drop, .duplicate, .delay]) ?? .drop
            let milliseconds = kind == .delay ? random.number(in: 1...2) : random.number(in: 100...5_000)
            return .fault(kind, type: random.pick(Self.types) ?? "T0", milliseconds: milliseconds)
        case ...90: return .clearFaults
        // If all posts hang, the limit of an endpoint decides which are made. Two clocks share it in any order.
        case ...96: return .restart(clocks == 1 && random.chance(30) ? 100 : 20)
        default: return .hang(clocks == 1 && random.chance(30) ? 100 : 20, clock: clock, span)
        }
    }

    private func notifications(_ random: inout SeededRandom) -> [New] {
        let isFlood = random.chance(8)
        let count = isFlood ? random.number(in: 20...150) : random.number(in: 1...10)
        return (0..<count).map { number in
            let original = isFlood && random.chance(80) ? 100 + number : random.number(in: 0...3)
            return New(
                original: random.chance(5) ? nil : original,
                type: random.pick(Self.types) ?? "T0",
                endpoints: random.chance(50) ? Self.endpoints : [random.pick(Self.endpoints) ?? "primary"],
                clock: original % clocks,
                delay: random.chance(70) ? 0 : Int64(random.number(in: 1...7_200_000))
            )
        }
    }
}
