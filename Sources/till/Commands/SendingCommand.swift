import ArgumentParser
import TillControl

/// The options with which a command finds the object of its request.
protocol Connecting: ParsableArguments {
    /// What the request is made for: the client, an app, or an app in an environment.
    associatedtype Connection
    /// How to find and call the server.
    var server: ServerOptions { get }
    /// For how many seconds at most the answer waits for the deliveries that the operation causes.
    var settle: Int? { get }
    /// Finds the server, and the app if the request concerns one.
    func connect() async throws -> Connection
}

extension Connecting {
    /// Most operations cause no notifications.
    var settle: Int? { nil }
}

/// A command that sends one request to the control API and prints the answer.
protocol SendingCommand: AsyncParsableCommand {
    /// The type of the options.
    associatedtype Options: Connecting
    /// The type of the request.
    associatedtype Request: ControlRequest
    /// The options with which the command finds the object of its request.
    var options: Options { get }
    /// How long the command waits for the answer.
    var timeout: Duration { get }
    /// The request.
    func request(_ connection: Options.Connection) async throws -> Request
    /// The first line of the output, which says what happened; nil if the answer says it.
    func heading(_ answer: Request.Answer) -> String?
    /// The output without `--json`.
    func text(_ answer: Request.Answer) throws -> String
}

extension SendingCommand {
    var timeout: Duration { .seconds(60) }

    func heading(_ answer: Request.Answer) -> String? { nil }

    func text(_ answer: Request.Answer) throws -> String {
        let lines = answer is NoAnswer ? "" : try Output.lines(of: SettledSummary.removed(from: answer))
        return [heading(answer)?.bold, lines].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    func run() async throws { try await send() }

    /// Sends the request and prints the answer. The text shows nothing that is signed.
    func send() async throws {
        var request = try await request(try await options.connect())
        if options.server.json, let including = request as? any IncludingRequest {
            request = including.including(TransactionPart.allCases) as? Request ?? request
        }
        if let seconds = options.settle, let settling = request as? any SettlingRequest {
            request = settling.settling(seconds) as? Request ?? request
        }
        try options.server.show(try await options.server.client().send(request, timeout: timeout)) {
            try [text($0), SettledSummary.text($0)].compactMap(\.self).joined(separator: "\n")
        }
    }
}

extension SendingCommand where Request.Answer: ActionAnswer {
    /// The heading, the state after the operation, its events and its notifications.
    func text(_ answer: Request.Answer) throws -> String {
        ActionSummary.text(heading(answer) ?? "", answer)
    }
}
