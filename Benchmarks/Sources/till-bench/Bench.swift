import ArgumentParser
import Dispatch
import Foundation

/// Measures Till and the limits of the machine in the same run, and prints the ratios.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till-bench",
        abstract: "Measures Till and the limits of this machine, and prints ratios.",
        subcommands: [Measure.self, Limit.self, ServeBytes.self, Receive.self],
        defaultSubcommand: Measure.self
    )
}

/// Runs all measurements or some of them.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the benchmarks.",
        discussion: Item.allCases.map { "\($0.rawValue): \($0.title)" }.joined(separator: "\n")
    )

    @Option(help: "Runs only this item; may be repeated.")
    var only: [Item] = []

    @Option(help: "Writes the figures to this file as JSON, and the tables beside it as .txt.")
    var json: String?

    @Option(help: "Rounds of each measurement.")
    var rounds = 5

    @Flag(help: "One short round and small shops: a smoke test, not for quoting.")
    var quick = false

    @Flag(help: "Ten million transactions and 100,000 subscribers.")
    var full = false

    @Option(help: "The measured binary; by default the one that a release consists of (scripts/dist build).")
    var till = "dist/till"

    @Option(help: "The Python with Flask and PyJWT.")
    var python = "Benchmarks/.venv/bin/python"

    @Option(help: "The folder of the fake server for comparison.")
    var fake = "Benchmarks/Fake"

    mutating func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds must be 1 or more.") }
        guard !(quick && full) else { throw ValidationError("Use either --quick or --full.") }
    }

    func run() async throws {
        let scale = Scale(quick: quick, full: full, rounds: rounds)
        let items = only.isEmpty ? Item.allCases : Item.allCases.filter(only.contains)
        try scale.checkDiskSpace(for: items)
        let bench = try Workbench(till: till, python: python, fake: fake, scale: scale)
        defer { bench.clear() }
        let signals = Self.endingOrderly(bench.folder)
        defer { for signal in signals { signal.cancel() } }
        var report = Report(machine: try Machine(bench), version: try bench.version(), scale: scale)
        for item in items {
            Progress.say("\(item.rawValue): \(item.title)")
            let series = try await item.measure(bench)
            report.add(series, of: item)
            print(report.table(of: item))
        }
        print(report.closing)
        if let json { try report.write(to: json) }
    }

    /// Stops the servers and deletes the files when the benchmark is stopped by a signal.
    private static func endingOrderly(_ folder: String) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Child.stopAll()
                try? FileManager.default.removeItem(atPath: folder)
                Foundation.exit(128 + number)
            }
            source.resume()
            return source
        }
    }
}

/// The measurements, in the order in which they run.
enum Item: String, CaseIterable, ExpressibleByArgument, Codable {
    case history
    case size
    case purchases
    case renewals
    case deliveries
    case latency
    case written
    case receipts
    case resources
    case fake

    var title: String {
        switch self {
        case .history: "a full page of Get Transaction History"
        case .size: "the same page in a small and in a large ledger"
        case .purchases: "durable purchases"
        case .renewals: "a year passes over monthly subscribers"
        case .deliveries: "notifications delivered"
        case .latency: "from a purchase to its delivered notification"
        case .written: "rows and pages that are written"
        case .receipts: "verifyReceipt"
        case .resources: "memory, and the time to the first answer"
        case .fake: "the same page from a fake of the usual kind"
        }
    }

    func measure(_ bench: Workbench) async throws -> Series {
        switch self {
        case .history: try await HistoryItem(bench).measure()
        case .size: try await SizeItem(bench).measure()
        case .purchases: try await PurchasesItem(bench).measure()
        case .renewals: try await RenewalsItem(bench).measure()
        case .deliveries: try await DeliveriesItem(bench).measure()
        case .latency: try await LatencyItem(bench).measure()
        case .written: try await WrittenItem(bench).measure()
        case .receipts: try await ReceiptsItem(bench).measure()
        case .resources: try await ResourcesItem(bench).measure()
        case .fake: try await FakeItem(bench).measure()
        }
    }
}

/// Prints progress to standard error, because standard output contains the table.
enum Progress {
    static func say(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
}

/// The reason why nothing was measured.
struct BenchRefused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
