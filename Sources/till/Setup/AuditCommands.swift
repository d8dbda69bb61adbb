import ArgumentParser
import TillControl
import TillCore

struct AuditCommand: DocumentedCommand {
    static let summary = "Shows who called which operation of the control API."
    static let examples = """
        # the latest 50 calls, newest first
        till audit list
        till audit list --caller ci --failed
        """
    static let notes =
        "The audit log has every call that changes something, and every refused call. With --audit-reads true, "
        + "the server also records calls that only read."
    static var subcommands: Subcommands { [List.self] }
    static var defaultSubcommand: (any ParsableCommand.Type)? { List.self }

    struct List: SendingCommand {
        static let summary = "Lists calls of operations, newest first."
        static let examples = """
            till audit list --failed
            till audit list --operation buyProduct --app com.example.app
            """

        @Option(help: "Only calls with this token; also administrator, loopback and console.")
        var caller: String?
        @Option(help: "Only calls of this operation, such as buyProduct.")
        var operation: String?
        @Option(help: "Only calls that concern the app with this bundle id.")
        var app: String?
        @Flag(help: "Only calls that failed.")
        var failed = false
        @Option(help: "Only calls at or after this date, such as 2026-03-01T10:00:00Z.")
        var from: Timestamp?
        @Option(help: "Only calls before this date.")
        var to: Timestamp?
        @Option(help: "The value of next from the previous page.")
        var after: String?
        @Option(help: "The maximum number of calls, 1 to 500 (default: 50).")
        var limit: Int?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListAuditRecords {
            ListAuditRecords(
                caller: caller,
                operationId: operation,
                bundleId: app,
                failed: failed ? true : nil,
                from: from,
                to: to,
                after: after,
                limit: limit
            )
        }
    }
}

extension AuditRecordList: TableAnswer {
    var rows: [AuditRecordInfo] { records }
}

extension AuditRecordInfo: TableRow {
    static let headings = ["DATE", "CALLER", "OPERATION", "RESULT", "APP", "ENVIRONMENT", "CONCERNS"]
    static let empty = "No calls."
    var cells: [String?] {
        let calls = count.map { " (\($0) calls)" } ?? ""
        return [date.iso8601, caller, operationId, result + calls, bundleId, environment, customer ?? object]
    }
}
