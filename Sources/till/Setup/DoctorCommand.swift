import ArgumentParser
import Foundation
import TillJSON
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct DoctorCommand: DocumentedCommand {
    static let summary = "Checks a data directory and reports every problem."
    static let examples = "till doctor --data ./till-data"
    static let notes =
        "Only reads the data, and can run while a server runs. With TILL_DATABASE, it checks the data in "
        + "PostgreSQL. Exit codes: 0 without problems, 3 with problems, 1 if the database cannot be reached."

    @Option(help: "The data directory (environment: TILL_DATA; default: ./till-data).", completion: .directory)
    var data: String?
    @Option(
        help: """
            The URL of a PostgreSQL database (postgres://…) with the data. Prefer the variable: all users see flags \
            (environment: TILL_DATABASE).
            """
    )
    var database: String?
    @Flag(help: "Prints the problems as JSON.")
    var json = false

    func run() async throws {
        let settings = try await SettingsSource()
        let path = data ?? settings.text("data") ?? "./till-data"
        let url = database ?? settings.text("database")
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
