import Foundation

/// A child program that runs on one core or on all cores.
final class Program {
    /// The cores on which a program runs.
    enum Core {
        /// The core of the measured program.
        case first
        /// The core of the load and of programs that represent other machines.
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

    /// - Parameter log: The file for standard error; nil passes it to the benchmark's standard error.
    init(_ command: [String], on place: Core, environment: [String: String] = [:], log: String? = nil) throws {
        let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nothing) }
        let errors = log.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        defer { if let errors { close(errors) } }
        child = try Child(place.prefix + command, environment: environment, (nil, nothing, errors ?? 2))
    }

    var isRunning: Bool { child.isRunning }

    func stop() { child.stop() }

    /// The processor time used so far, in seconds; 0 on systems other than Linux.
    var processorSeconds: Double {
        #if os(Linux)
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return 0 }
        // The name of the program, in brackets, may contain spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / 100
        #else
        return 0
        #endif
    }

    /// The resident memory in megabytes; 0 on systems other than Linux.
    var residentMegabytes: Double {
        #if os(Linux)
        let text = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? 0) / 1_024
        #else
        return 0
        #endif
    }

    // MARK: Programs that end

    /// Runs a program to its end and returns its output, with or without standard error.
    static func output(
        _ command: [String],
        on place: Core = .anywhere,
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
        let output = Child.readAll(pipe.reading)
        child.wait()
        guard child.exitCode == 0 else { throw BenchRefused("\(command.joined(separator: " ")) failed:\n\(output)") }
        return output
    }

    /// The path of a program on the PATH. If the program is missing, the error names the package to install.
    static func path(of name: String, package: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { "\($0)/\(name)" }
        if let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) { return path }
        throw BenchRefused("\(name) is missing: scripts/install bench, or apt-get install --yes \(package)")
    }

    /// Waits until a file contains JSON. The file is complete when its content is valid JSON.
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
        let errors = log.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        throw BenchRefused("a server did not start: \(errors.suffix(2_000))")
    }
}
