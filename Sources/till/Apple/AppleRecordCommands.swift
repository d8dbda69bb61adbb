import AppStoreServer
import ArgumentParser
import Foundation
import TillControl
import TillJSON

extension AppleCommand {
    struct Record: DocumentedCommand {
        static let summary = "Saves the anonymized answers about one customer in a file."
        static let examples = """
            till apple record 700001234567890 --out customer.json
            till apple record 700001234567890 --out customer.json --no-notifications
            """
        static let notes = """
            Saves the history (versions 1 and 2), the statuses, the refunds, the app transaction and the \
            notifications. Ids, tokens and order ids are replaced, each always by the same other value. Dates, \
            products, prices, storefronts and the app's ids are kept. Signatures are dropped: the file has payloads \
            only. Keys that Till does not know keep their values unless they look like an id: read the file before \
            you share it.
            """

        @Argument(help: "Any transaction id or the app transaction id of the customer.")
        var transaction: String
        @Option(help: "The file.", completion: .file())
        var out: String
        @Flag(inversion: .prefixedNo, help: "Saves the notifications of the customer.")
        var notifications = true
        @OptionGroup var options: AppleOptions

        func run() async throws {
            let client = try options.client()
            let recording = try await AppleErrors.reported {
                try await AppleRecording(of: transaction, from: client, includesNotifications: notifications)
            }
            let data = Data(recording.anonymized.document.written())
            let note = " Ids and tokens are replaced, and signatures are dropped."
            try Output.write(data, to: out, asJSON: options.server.json, note: note)
        }
    }

    struct Compare: DocumentedCommand {
        static let summary = "Replays a recording in Till and prints where the answers differ, key by key."
        static let examples = """
            till apple compare customer.json
            till apple compare customer.json --import Shop.storekit
            # two recordings of the same customer
            till apple compare apple.json till.json
            """
        static let notes = """
            With one file, the command starts a temporary Till (on Linux), imports the customer, asks Till the same \
            questions, and stops it. Notifications are not replayed, and compared only for two files. Signing dates \
            and revisions are not compared.

            Exit codes: 0 without differences, 3 with differences.
            """

        @Argument(help: "A recording of till apple record.")
        var first: String
        @Argument(help: "Another recording of the same customer.")
        var second: String?
        @Option(
            name: .customLong("import"),
            help: "With one file: the .storekit file of the app's products.",
            completion: .file()
        )
        var file: String?
        @Flag(help: "Prints the differences as JSON.")
        var json = false

        func validate() throws {
            if second != nil, file != nil { throw ValidationError("--import is for the comparison with Till.") }
        }

        func run() async throws {
            let one = try AppleRecording(file: first)
            let comparison: AppleComparison
            if let second {
                let other = try AppleRecording(file: second)
                comparison = AppleComparison(differences: AppleDifferences(one, other).rows, report: nil)
            } else {
                let replay = try await AppleReplay.run(one, storekit: file)
                let differences = AppleDifferences(one, replay.recording, skipping: [.notifications])
                comparison = AppleComparison(differences: differences.rows, report: replay.report)
            }
            try Output.show(comparison, asJSON: json) { $0.text }
            if !comparison.differences.isEmpty { throw ExitCode(3) }
        }
    }
}

/// What a comparison found.
struct AppleComparison: Encodable {
    let differences: [AppleDifference]
    /// What Till reported about the import; nil for a comparison of two files.
    let report: CustomerImportInfo?

    var text: String {
        var lines: [String] = []
        for finding in report?.quarantined ?? [] { lines.append("Not imported: \(finding.subject): \(finding.reason)") }
        for finding in report?.assumptions ?? [] { lines.append("Assumed: \(finding.subject): \(finding.reason)") }
        let count = differences.count
        let summary = count == 0 ? [] : ["\(count) \(count == 1 ? "difference" : "differences")"]
        return (lines + [Table.list(differences)] + summary).joined(separator: "\n")
    }
}
