import Foundation

/// A program that runs beside us, on one core or on all.
final class Program {
    /// Where a program may run.
    enum Place {
        /// What is measured.
        case first
        /// What asks, and what stands for other machines.
        case second
        case anywhere

        fileprivate var prefix: [String] {
            switch self {
            case .first: ["taskset", "-c", "0"]
            case .second: ["taskset", "-c", "1"]
            case .anywhere: []
            }
        }
    }

    private let child: Child
    var id: Int32 { child.id }

    /// - Parameter log: A file for standard error; without it, ours.
    init(_ command: [String], on place: Place, environment: [String: String] = [:], log: String? = nil) throws {
        let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nothing) }
        let errors = log.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        defer { if let errors { close(errors) } }
        child = try Child(place.prefix + command, environment: environment, (nil, nothing, errors ?? 2))
    }

    var isRunning: Bool { child.isRunning }

    func stop() { child.stop() }

    /// Seconds of processor time that it has used.
    var processorSeconds: Double {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return 0 }
        // The name of the program, in brackets, may hold spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / 100
    }

    /// Megabytes of memory that it occupies.
    var residentMegabytes: Double {
        let text = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? 0) / 1_024
    }

    // MARK: Programs that end

    /// What a program prints until its end, with what it says on standard error or without.
    static func output(
        _ command: [String],
        on place: Place = .anywhere,
        environment: [String: String] = [:],
        withErrors: Bool = false
    ) throws -> String {
        let pipe = try Child.ends()
        let child = try Child(
            place.prefix + command,
            environment: environment,
            (nil, pipe.writing, withErrors ? pipe.writing : 2)
        )
        close(pipe.writing)
        let said = Child.readAll(pipe.reading)
        child.wait()
        guard child.exitCode == 0 else { throw BenchRefused("\(command.joined(separator: " ")) failed:\n\(said)") }
        return said
    }

    /// A program of the path; how to get it, if it is missing.
    static func path(of name: String, package: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { "\($0)/\(name)" }
        if let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) { return path }
        throw BenchRefused("\(name) is missing: scripts/install bench, or apt-get install --yes \(package)")
    }

    /// Waits until a file holds JSON, which it does once it is whole.
    static func facts(in file: String, of program: Program, log: String?) throws -> [String: Any] {
        for _ in 0..<30_000 {
            if let data = FileManager.default.contents(atPath: file),
                let facts = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
            {
                return facts
            }
            guard program.isRunning else { break }
            usleep(2_000)
        }
        let said = log.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        throw BenchRefused("a server did not start: \(said.suffix(2_000))")
    }
}
