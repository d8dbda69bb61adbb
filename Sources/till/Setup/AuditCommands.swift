import ArgumentParser
import TillControl
import TillCore

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Shows who called which operation of the control API.",
        name: "audit",
        examples: """
            # the latest 50 calls, newest first
            till audit list
            till audit list --caller ci --failed
            """,
        notes: "The audit log has every call that changes something, and every refused call. With --audit-reads true, "
            + "the server also records calls that only read.",
        subcommands: [List.self],
        default: List.self
    )

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists calls of operations, newest first.",
            examples: """
                till audit list --failed
                till audit list --operation buyProduct --app com.example.app
                """
        )

        @Option(help: "Only calls with this token; also administrator, loopback and console.")
        var caller: String?
        @Option(help: "Only calls of this operation, such as buyProduct.")
        var operation: String?
        @Option(help: "Only calls that concern the app with this bundle id.")
        var app: String?
        @Flag(help: "Only calls that failed.")
        var failed = false
        @Option(help: "Only calls at or after this date, such as 2026-03-01T10:00:00Z.")
        var from: WrittenInstant?
        @Option(help: "Only calls before this date.")
        var to: WrittenInstant?
        @Option(help: "The value of next from the previous page.")
        var after: String?
        @Option(help: "The maximum number of calls, 1 to 500 (default 50).")
        var limit: Int?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListAuditRecords {
            ListAuditRecords(
                caller: caller,
                operationId: operation,
                bundleId: app,
                failed: failed ? true : nil,
                from: from?.instant,
                to: to?.instant,
                after: after,
                limit: limit
            )
        }

        func text(_ list: AuditRecordList) -> String {
            Table.list(
                ["DATE", "CALLER", "OPERATION", "RESULT", "APP", "ENVIRONMENT", "CONCERNS"],
                list.records.map {
                    [
                        $0.date.iso8601, $0.caller, $0.operationId,
                        $0.result + ($0.count.map { " (\($0) calls)" } ?? ""), $0.bundleId, $0.environment,
                        $0.customer ?? $0.object,
                    ]
                },
                empty: "No calls.",
                next: list.next
            )
        }
    }
}
