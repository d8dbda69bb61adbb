import CAllocator
import Foundation

/// Figures of Till beside the limits of the machine, in one run.
@main
struct Bench {
    static func main() async throws {
        till_settle_allocator()
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "--serve-bytes" {
            return try await Tool.serveBytes(arguments[2], arguments[3])
        }
        func number(_ flag: String, or standard: Int) -> Int {
            guard let place = arguments.firstIndex(of: flag), arguments.indices.contains(place + 1) else {
                return standard
            }
            return Int(arguments[place + 1]) ?? standard
        }
        let rounds = number("--rounds", or: 3)
        let only = arguments.firstIndex(of: "--only").flatMap { arguments.dropFirst($0 + 1).first }
        var figures: [Figure] = []
        if only == nil || only == "history" {
            figures += try await HistoryBench(transactions: number("--transactions", or: 1_000), rounds: rounds).run()
        }
        if only == nil || only == "receipts" { figures += try await ReceiptsBench(rounds: rounds).run() }
        if only == nil || only == "renewals" {
            figures += try await RenewalsBench(subscribers: number("--subscribers", or: 10_000), rounds: rounds).run()
        }
        if arguments.contains("--json") {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(figures), as: UTF8.self))
        } else {
            for figure in figures { print(figure.line) }
        }
    }
}

/// One figure: the median of several rounds, with the least and the most.
struct Figure: Codable {
    let name: String
    let unit: String
    let median: Double
    let least: Double
    let most: Double

    init(_ name: String, unit: String, rounds: [Double]) {
        let sorted = rounds.sorted()
        self.name = name
        self.unit = unit
        median = sorted[sorted.count / 2]
        least = sorted[0]
        most = sorted[sorted.count - 1]
    }

    var line: String {
        func text(_ value: Double) -> String { String(format: value < 10 ? "%.3f" : "%.0f", value) }
        let named = name.padding(toLength: 44, withPad: " ", startingAt: 0)
        return "\(named) \(text(median)) \(unit)  (\(text(least)) to \(text(most)))"
    }
}

/// Values of several rounds, by name, in the order in which the names came first.
struct Series {
    private var names: [(name: String, unit: String)] = []
    private var values: [String: [Double]] = [:]

    mutating func note(_ name: String, _ unit: String, _ value: Double) {
        if values[name] == nil { names.append((name, unit)) }
        values[name, default: []].append(value)
    }

    var figures: [Figure] { names.map { Figure($0.name, unit: $0.unit, rounds: values[$0.name] ?? []) } }
}

/// Seconds that a body takes.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return (clock.now - start) / .seconds(1)
}
