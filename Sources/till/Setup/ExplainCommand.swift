import ArgumentParser
import TillJSON
import TillShop

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
        let client = try server.rawClient()
        if follow {
            try await followRequestLog(client)
        } else if let requestID {
            let entry = try await client.get("/v1/requests/\(escaped(requestID))")
            Output.show(entry, asJSON: server.json) { Output.lines($0) }
        } else {
            let entries = try await client.get("/v1/requests?refused=true&limit=\(limit ?? 1)")
            Output.show(entries, asJSON: server.json) { tree in
                // The newest request is printed last, so that it is visible at the end of the terminal.
                let entries = tree["entries"]?.elements ?? []
                let text = entries.reversed().map { Output.lines($0) }.joined(separator: "\n\n")
                return text.isEmpty ? "No refused requests." : text
            }
        }
    }

    /// Prints each new request once, oldest first.
    private func followRequestLog(_ client: RawControlClient) async throws {
        var seen: Set<String>?
        while true {
            let entries = try await client.get("/v1/requests?limit=100")["entries"]?.elements ?? []
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
