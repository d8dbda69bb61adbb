import Foundation

/// All figures of a run, as a table and as JSON.
struct Report: Codable {
    let version: String
    let date: String
    let scale: String
    let rounds: Int
    let machine: Machine
    private var items: [Part] = []

    private struct Part: Codable {
        let item: Item
        let figures: [Figure]
    }

    init(machine: Machine, version: String, scale: Scale) {
        self.machine = machine
        self.version = version
        date = Date().formatted(.iso8601.year().month().day())
        self.scale = scale.name
        rounds = scale.rounds
    }

    mutating func add(_ series: Series, of item: Item) {
        items.append(Part(item: item, figures: series.figures))
    }

    /// The rows of the table for one item.
    func table(of item: Item) -> String {
        let lines = items.filter { $0.item == item }.flatMap(\.figures).map(Self.line)
        return (["", "\(item.rawValue): \(item.title)"] + lines).joined(separator: "\n")
    }

    private static func line(_ figure: Figure) -> String {
        let name = "  \(figure.name)".padding(toLength: 66, withPad: " ", startingAt: 0)
        let spread = "(\(text(figure.least)) to \(text(figure.most)))".padding(
            toLength: 22,
            withPad: " ",
            startingAt: 0
        )
        let value = text(figure.median)
        let room = String(repeating: " ", count: max(0, 9 - value.count))
        let unit = figure.unit.padding(toLength: 4, withPad: " ", startingAt: 0)
        let line = "\(name)\(room)\(value) \(unit) \(spread)"
        guard let bound = figure.bound else { return line.trimmedEnd }
        let sign = bound.isCeiling ? "<=" : ">="
        let goal = bound.goal == bound.required ? "" : ", goal \(text(bound.goal))"
        let verdict =
            !bound.permits(figure.median) ? "MISS" : bound.reaches(figure.median) ? "met" : "met, short of the goal"
        return "\(line) \(sign) \(text(bound.required))\(goal)  \(verdict)"
    }

    /// A number with four significant digits.
    private static func text(_ value: Double) -> String {
        let places = abs(value) >= 1_000 ? 0 : abs(value) >= 100 ? 1 : abs(value) >= 10 ? 2 : 3
        return String(format: "%.\(places)f", value)
    }

    /// A sentence with the number of ratios that are within their bounds.
    var closing: String {
        let judged = items.flatMap(\.figures).filter { $0.bound != nil }
        let missed = judged.filter { $0.isMet == false }
        let names = missed.map { "\n  MISS  \($0.name): \(Self.text($0.median))" }.joined()
        return """

            Till \(version), \(machine.processor), \(machine.cores) cores, \(rounds) rounds (\(scale))
            \(judged.count - missed.count) of \(judged.count) ratios met\(names)
            """
    }

    /// The complete printed output.
    private var text: String { (items.map { table(of: $0.item) } + [closing, ""]).joined(separator: "\n") }

    /// Writes the figures as JSON to the file, and the tables to a file with the same name and the extension `.txt`.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let folder = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try (try encoder.encode(self) + Data("\n".utf8)).write(to: URL(filePath: path))
        let table = URL(filePath: path).deletingPathExtension().appendingPathExtension("txt")
        try Data(text.utf8).write(to: table)
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// The machine on which the benchmark ran.
struct Machine: Codable {
    let processor: String
    let cores: Int
    let memoryGigabytes: Int
    let system: String
    /// The versions of the programs that were used.
    let programs: [String: String]

    init(_ bench: Workbench) throws {
        processor = Self.model ?? "unknown"
        cores = ProcessInfo.processInfo.activeProcessorCount
        memoryGigabytes = Int(ProcessInfo.processInfo.physicalMemory >> 30)
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        system = name.map { String($0.dropFirst(12)).trimmingCharacters(in: ["\""]) } ?? "unknown"
        programs = [
            "postgres": try Program.output([bench.postgresPrograms + "/postgres", "--version"])
                .trimmingCharacters(in: .whitespacesAndNewlines),
            "sqlite": SQLiteFile.libraryVersion,
            "swift": Self.compiler,
        ]
    }

    /// The name of the processor; nil if the system has no file with the name.
    private static var model: String? {
        #if os(Linux)
        let facts = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = facts.split(separator: "\n").first { $0.hasPrefix("model name") }
        return model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        #else
        return nil
        #endif
    }

    private static var compiler: String {
        #if compiler(>=6.4)
        "6.4 or newer"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
