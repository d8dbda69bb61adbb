import ArgumentParser
import TillControl
import TillShop

/// The options that every operation has: time, app and environment, server, and output.
struct ActionOptions: ParsableArguments {
    @Option(help: "The time, such as 2026-03-01, 2026-03-01T10:00:00Z, or milliseconds since 1970 (default: now).")
    var at: WrittenInstant?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    /// The time of the operation; nil for now.
    var time: Timestamp? { at?.instant }

    /// Sends an operation to the server and prints its effects under a heading.
    func perform<Request: EnvironmentRequest>(
        _ request: (AppClient) async throws -> Request,
        saying heading: (Request.Answer) -> String
    ) async throws where Request.Answer: ActionAnswer {
        try await server.show(in: scope) { client in
            let request = try await request(client)
            // The text shows nothing that is signed.
            guard server.json, let including = request as? any IncludingRequest else { return request }
            return including.including(TransactionPart.allCases) as? Request ?? request
        } as: {
            ActionSummary.text(heading($0), $0)
        }
    }
}

/// A date or a time on the command line.
struct WrittenInstant: ExpressibleByArgument {
    let instant: Timestamp

    init?(argument: String) {
        guard let instant = TimeExpression.instant(argument) else { return nil }
        self.instant = instant
    }
}
