import ArgumentParser
import Foundation
import NIOCore
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says why a request was refused.",
        discussion: """
            till explain PXYVB35MOBBC5TL6UOXY6DGJGY.0.0        the id that a 401, or X-Request-ID, shows
            till explain --last                                the newest refusal
            till explain --last --limit 5                      the five newest, the newest at the end
            till explain --follow                              each as it comes, until you stop it
            """
    )

    @Argument(help: "The request id.")
    var requestID: String?
    @Flag(help: "The newest refusal.")
    var last = false
    @Flag(help: "Goes on with each that comes.")
    var follow = false
    @Option(help: "With --last: so many of the newest, 1 to 100 (default 1).")
    var limit: Int?
    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard [last, follow, requestID != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Name a request id, or give --last or --follow.")
        }
        if limit != nil, !last { throw ValidationError("--limit belongs to --last.") }
    }

    func run() async throws {
        let client = try server.client()
        if follow {
            try await followJournal(client)
        } else if let requestID {
            let entry = try await client.get("/v1/journal/\(escaped(requestID))")
            Output.show(entry, asJSON: server.json) { Output.lines($0) }
        } else {
            let entries = try await client.get("/v1/journal?refused=true&limit=\(limit ?? 1)")
            Output.show(entries, asJSON: server.json) { tree in
                // The newest stands last, where a terminal shows it.
                let entries = tree["entries"]?.elements ?? []
                let text = entries.reversed().map { Output.lines($0) }.joined(separator: "\n\n")
                return text.isEmpty ? "Nothing was refused." : text
            }
        }
    }

    /// Shows each entry once, oldest first, as it comes.
    private func followJournal(_ client: ControlClient) async throws {
        var seen: Set<String>?
        while true {
            let entries = try await client.get("/v1/journal?limit=100")["entries"]?.elements ?? []
            let ids = Set(entries.compactMap { $0["requestId"]?.text })
            // What was there before is left out.
            for entry in entries.reversed() where seen?.contains(entry["requestId"]?.text ?? "") == false {
                Output.show(entry, asJSON: server.json) { Output.lines($0) + "\n" }
            }
            seen = (seen ?? []).union(ids)
            try await Task.sleep(for: .milliseconds(300))
        }
    }
}

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examines a data directory and names everything that is wrong.",
        discussion: """
            till doctor --data ./till-data
            TILL_DATABASE=postgres://… till doctor --data ./till-data       whose data lies in PostgreSQL

            Reads only, and may run beside a server. Exit code 0: all is well; 1: the database cannot be reached;
            3: something was found.
            """
    )

    @Option(help: "The data directory (default ./till-data).")
    var data: String?
    @Option(help: "postgres://…: where the data lies, if not in the data directory. Prefer TILL_DATABASE.")
    var database: String?
    @Flag(help: "Prints the findings as JSON.")
    var json = false

    func run() async throws {
        let settings = try await SettingsSource(file: nil)
        let path = settings.text(data, "data") ?? "./till-data"
        let url = settings.text(database, "database")
        let directory = DataDirectory(path)
        guard FileManager.default.fileExists(atPath: url == nil ? directory.database : directory.rootCertificate) else {
            throw CommandRefused("\(path) holds no shop. Name its folder with --data.")
        }
        let report = await Doctor(directory, now: Int64(Date().timeIntervalSince1970 * 1_000)).report {
            guard let url else { return try SQLiteStorage(examining: directory.database) }
            return try PostgresStorage(examining: DatabaseURL(url))
        }
        show(report, of: path)
        if let unreached = report.unreached { throw CommandRefused(Self.words(unreached)) }
        if !report.findings.isEmpty { throw ExitCode(3) }
    }

    private func show(_ report: Doctor.Report, of path: String) {
        if json {
            let tree = JSONTree.members([
                "findings": .array(report.findings.map { .string($0) }),
                "unreached": .text(report.unreached.map { "\($0)" }),
            ])
            return print(String(decoding: tree.written(), as: UTF8.self))
        }
        for finding in report.findings { print("- \(finding)") }
        if !report.findings.isEmpty {
            print("\(report.findings.count) found. \(Self.nextStep(report))")
        } else if report.unreached == nil {
            print("All is well in \(path).")
        }
    }

    /// What is to be done about what was found, and not about anything else.
    private static func nextStep(_ report: Doctor.Report) -> String {
        if report.others.isEmpty { return "Run the command that stands with each." }
        let backup = "Restore a backup, unless a finding says what to do."
        return report.modes.isEmpty ? backup : backup + " A file mode is mended by the command that stands with it."
    }

    /// What is to be done about a store of which nothing could be read.
    private static func words(_ unreached: any Error) -> String {
        let reason = "\(unreached)".sentence
        let told = "\(reason) Nothing in it was examined."
        guard unreached.isPassingTrouble, !reason.contains("TILL_DATABASE") else { return told }
        return told + " Start its server, or check host, user, password and name in TILL_DATABASE."
    }
}

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a shop into a new folder while it serves.",
        discussion: """
            till backup /var/backups/till-monday
            till serve --data /var/backups/till-monday          goes on from there
            till restore --from /var/backups/till-monday        puts it back

            The copy has the database, certificates and keys, and is in SQLite whatever engine the shop has.
            """
    )

    @Argument(help: "A folder that does not exist yet, on the server's machine.")
    var folder: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let target = URL(fileURLWithPath: folder).standardizedFileURL.path
        let outcome = try await server.client().post(
            "/v1/backup",
            .members(["to": .string(target)]),
            timeout: .minutes(600)
        )
        Output.show(outcome, asJSON: server.json) { answer in
            let rows = answer["tables"]?.elements.reduce(0) { $0 + (Int($1["rows"]?.text ?? "") ?? 0) } ?? 0
            return "Copied to \(answer["directory"]?.text ?? ""): \(rows) rows, read back and found whole."
        }
    }
}
