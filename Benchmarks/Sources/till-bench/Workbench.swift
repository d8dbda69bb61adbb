import Foundation

/// The environment of a run: its folder, its programs, and the objects that several measurements share.
final class Workbench {
    let scale: Scale
    let folder: String
    let till: String
    let python: String
    let fake: String
    let wrk: String
    /// The folder with PostgreSQL's programs.
    let postgresPrograms: String
    /// The path of this program, which also runs as the byte server, the receiver and the limits.
    let this: String
    private var count = 0
    private var sharedPostgres: PostgresServer?
    private var sharedLedgers: [Int: Ledger] = [:]
    /// The databases of the ledgers that were migrated to PostgreSQL, by the size of the ledger.
    var migrated: [Int: String] = [:]

    init(till: String, python: String, fake: String, scale: Scale) throws {
        self.scale = scale
        self.till = URL(filePath: till).path
        self.python = URL(filePath: python).path
        self.fake = URL(filePath: fake).path
        this = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0]).resolvingSymlinksInPath().path
        guard FileManager.default.isExecutableFile(atPath: self.till) else {
            throw BenchRefused("\(till) is missing: swift build -c release --product till")
        }
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            throw BenchRefused("one core is not enough: the load needs a second one")
        }
        wrk = try Program.path(of: "wrk", package: "wrk")
        _ = try Program.path(of: "taskset", package: "util-linux")
        postgresPrograms = try PostgresServer.programs()
        folder =
            FileManager.default.temporaryDirectory.path + "/till-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// The output of `till --version`.
    func version() throws -> String {
        try Program.output([till, "--version"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// An unused path in the folder of the run.
    func place(_ name: String) -> String {
        count += 1
        return "\(folder)/\(count)-\(name)"
    }

    /// Copies a folder to an unused path.
    func copy(_ path: String, as name: String) throws -> String {
        let copy = place(name)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    /// The PostgreSQL server of the run, with durable commits.
    func postgres() throws -> PostgresServer {
        if let sharedPostgres { return sharedPostgres }
        let server = try PostgresServer(programs: postgresPrograms)
        sharedPostgres = server
        return server
    }

    /// The ledger with `copies` times 1,000 transactions. It is created at the first call.
    func ledger(copies: Int) async throws -> Ledger {
        if let ledger = sharedLedgers[copies] { return ledger }
        let ledger = copies == 1 ? try await Ledger(on: self) : try await self.ledger(copies: 1).multiplied(by: copies)
        sharedLedgers[copies] = ledger
        return ledger
    }

    func limit(_ arguments: [String], on place: Program.Core = .first) throws -> Double {
        let output = try Program.output([this, "limit"] + arguments, on: place)
        guard let value = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchRefused("limit \(arguments.joined(separator: " ")): unexpected output: \(output)")
        }
        return value
    }

    /// The number of ES256 signatures per second over a digest.
    func signatures(threads: Int = 1) throws -> Double {
        try limit(["signatures", "--threads", "\(threads)"], on: threads == 1 ? .first : .anywhere)
    }

    /// Removes everything that the run created.
    func clear() {
        sharedPostgres?.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
