import ArgumentParser
import TillControl

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Shows who called which operation of the control API.",
        discussion: """
            till audit list                          the latest 50 calls, newest first
            till audit list --caller ci --failed
            till audit list --operation buyProduct --app com.example.app

            The audit log has every call that changes something, and every refused call. With --audit-reads true, the
            server also records calls that only read.
            """,
        subcommands: [List.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists calls of operations, newest first.",
            discussion: "till audit list --failed"
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
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let request = ListAuditRecords(
                caller: caller,
                operationId: operation,
                bundleId: app,
                failed: failed ? true : nil,
                from: from?.instant,
                to: to?.instant,
                after: after,
                limit: limit
            )
            try await server.show(answerTo: request) { list in
                list.records.isEmpty ? "No calls." : try Output.lines(of: list)
            }
        }
    }
}
