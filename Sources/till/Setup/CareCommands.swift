import ArgumentParser
import Foundation
import NIOCore
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explains why a request was refused.",
        discussion: """
            till explain PXYVB35MOBBC5TL6UOXY6DGJGY.0.0        the id in a 401 answer or in X-Request-ID
            till explain --last                                the latest refused request
            till explain --last --limit 5                      the latest five, newest last
            till explain --follow                              new refused requests, until Ctrl-C
            """
    )

    @Argument(help: "The request id.")
    var requestID: String?
    @Flag(help: "Explains the latest refused request.")
    var last = false
    @Flag(help: "Explains new refused requests as they arrive.")
    var follow = false
    @Option(help: "With --last: the number of requests, 1 to 100 (default 1).")
    var limit: Int?
    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard [last, follow, requestID != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Give a request id, --last or --follow.")
        }
        if limit != nil, !last { throw ValidationError("--limit needs --last.") }
    }

    func run() async throws {
        let client = try server.client()
        if follow {
            try await followRequestLog(client)
        } else if let requestID {
            let entry = try await client.get("/v1/journal/\(escaped(requestID))")
            Output.show(entry, asJSON: server.json) { Output.lines($0) }
        } else {
            let entries = try await client.get("/v1/journal?refused=true&limit=\(limit ?? 1)")
            Output.show(entries, asJSON: server.json) { tree in
                // The newest request is printed last, so that it is visible at the end of the terminal.
                let entries = tree["entries"]?.elements ?? []
                let text = entries.reversed().map { Output.lines($0) }.joined(separator: "\n\n")
                return text.isEmpty ? "No refused requests." : text
            }
        }
    }

    /// Prints each new request once, oldest first.
    private func followRequestLog(_ client: ControlClient) async throws {
        var seen: Set<String>?
        while true {
            let entries = try await client.get("/v1/journal?limit=100")["entries"]?.elements ?? []
            let ids = Set(entries.compactMap { $0["requestId"]?.text })
            // Requests from before the start of the command are not printed.
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
        abstract: "Checks a data directory and reports every problem.",
        discussion: """
            till doctor --data ./till-data
            TILL_DATABASE=postgres://… till doctor --data ./till-data       with the data in PostgreSQL

            Only reads the data, and can run while a server runs. Exit codes: 0 without problems, 3 with problems,
            1 if the database cannot be reached.
            """
    )

    @Option(help: "The data directory (default ./till-data).")
    var data: String?
    @Option(help: "The URL of a PostgreSQL database (postgres://…) with the data. Prefer TILL_DATABASE.")
    var database: String?
    @Flag(help: "Prints the problems as JSON.")
    var json = false

    func run() async throws {
        let settings = try await SettingsSource(file: nil)
        let path = settings.text(data, "data") ?? "./till-data"
        let url = settings.text(database, "database")
        let directory = DataDirectory(path)
        guard FileManager.default.fileExists(atPath: url == nil ? directory.database : directory.rootCertificate) else {
            throw CommandRefused("\(path) contains no Till data. Give the data directory with --data.")
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
            print("Problems found: \(report.findings.count). \(Self.nextStep(report))")
        } else if report.unreached == nil {
            print("No problems in \(path).")
        }
    }

    /// Advice that fits the problems in this report.
    private static func nextStep(_ report: Doctor.Report) -> String {
        if report.others.isEmpty { return "Run the command given with each problem." }
        let backup = "Restore a backup, unless the problem says what to do."
        return report.modes.isEmpty ? backup : backup + " To fix a file mode, run the command given with it."
    }

    /// The message for a store that could not be read.
    private static func words(_ unreached: any Error) -> String {
        let reason = "\(unreached)".sentence
        let words = "\(reason) Nothing in it was checked."
        guard unreached.isTransient, !reason.contains("TILL_DATABASE") else { return words }
        return words + " Start its server, or check host, user, password and name in TILL_DATABASE."
    }
}

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies all data into a new folder while the server runs.",
        discussion: """
            till backup /var/backups/till-monday
            till serve --data /var/backups/till-monday          starts a server with the copy
            till restore --from /var/backups/till-monday        restores the copy

            The copy has the database, certificates and keys. Its database is SQLite, also if the server's is not.
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
            return "Copied to \(answer["directory"]?.text ?? ""): \(rows) rows. The copy was read and verified."
        }
    }
}
