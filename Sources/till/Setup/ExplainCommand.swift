import ArgumentParser
import Foundation
import TillControl

struct ExplainCommand: DocumentedCommand {
    static let summary = "Explains why a request was refused."
    static let examples = """
        # the latest refused request
        till explain --last
        # the latest five, newest last
        till explain --last --limit 5
        # new refused requests, until Ctrl-C
        till explain --follow
        # the id in a 401 answer or in X-Request-ID
        till explain PXYVB35MOBBC5TL6UOXY6DGJGY.0.0
        """

    @Argument(help: "The request id.")
    var requestID: String?
    @Flag(help: "Explains the latest refused request.")
    var last = false
    @Flag(help: "Explains new refused requests as they arrive.")
    var follow = false
    @Option(help: "With --last: the number of requests, 1 to 100 (default: 1).")
    var limit: Int?
    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard [last, follow, requestID != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Give a request id, --last or --follow.")
        }
        if limit != nil, !last { throw ValidationError("--limit needs --last.") }
    }

    func run() async throws {
        if follow {
            try await followRequestLog(try server.client())
        } else if let requestID, UUID(uuidString: requestID) != nil {
            throw CommandRefused("\(requestID) is the UUID of a notification. Run till notification show \(requestID).")
        } else if let requestID {
            try server.show(try await server.client().send(ExplainRequest(requestId: requestID)))
        } else {
            let list = try await server.client().send(ListRequests(refused: true, limit: limit ?? 1))
            try server.show(list) { list in
                // The newest request is printed last, so that it is visible at the end of the terminal.
                let text = try list.entries.reversed().map { try Output.lines(of: $0) }.joined(separator: "\n\n")
                return text.isEmpty ? "No refused requests." : text
            }
        }
    }

    /// Prints each new request once, oldest first.
    private func followRequestLog(_ client: ControlClient) async throws {
        var seen: Set<String>?
        while true {
            let entries = try await client.send(ListRequests(limit: 100)).entries
            let ids = Set(entries.map(\.requestId))
            // Requests from before the start of the command are not printed.
            for entry in entries.reversed() where seen?.contains(entry.requestId) == false {
                try server.show(entry) { try Output.lines(of: $0) + "\n" }
            }
            seen = (seen ?? []).union(ids)
            try await Task.sleep(for: .milliseconds(300))
        }
    }
}
