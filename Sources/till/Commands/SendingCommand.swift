import ArgumentParser
import TillControl
import TillCore

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

/// A command that prints one answer of the server.
protocol AnsweringCommand: DocumentedCommand {
    /// The type of the options.
    associatedtype Options: Connecting
    /// The type of the answer.
    associatedtype Answer: Encodable
    /// The options with which the command finds the object of its request.
    var options: Options { get }
    /// How long the command waits for the answer.
    var timeout: Duration { get }
    /// Calls the server.
    func answer(_ connection: Options.Connection) async throws -> Answer
    /// The first line of the output, which says what happened; nil if the answer says it.
    func heading(_ answer: Answer) -> String?
    /// The output without `--json`.
    func text(_ answer: Answer) throws -> String
    /// The last line of the output, which says what is wrong; nil if nothing is.
    func warning(_ answer: Answer) -> String?
}

extension AnsweringCommand {
    var timeout: Duration { .seconds(60) }

    func heading(_ answer: Answer) -> String? { nil }
    func warning(_ answer: Answer) -> String? { nil }

    func text(_ answer: Answer) throws -> String {
        let shown: any Encodable = (answer as? any SettledAnswer)?.unsettled ?? answer
        return try [heading(answer)?.bold, Output.lines(of: shown)].compactMap(\.self).joined(separator: "\n")
    }

    func run() async throws { try await show() }

    /// Calls the server and prints the answer.
    func show() async throws {
        try options.server.show(try await answer(try await options.connect())) { answer in
            let settled = (answer as? any SettledAnswer)?.settled?.text
            return try [text(answer), settled, warning(answer)].compactMap(\.self).joined(separator: "\n")
        }
    }
}

extension AnsweringCommand where Answer: ActionAnswer {
    /// The heading, the state after the operation, its events and its notifications.
    func text(_ answer: Answer) -> String { ActionSummary.text(heading(answer) ?? "", answer) }
}

extension AnsweringCommand where Answer: TableAnswer {
    func text(_ answer: Answer) -> String { Table.list(answer) }
}

/// A command that sends one request to the control API and prints the answer.
protocol SendingCommand: AnsweringCommand where Answer == Request.Answer {
    /// The type of the request.
    associatedtype Request: ControlRequest
    /// The request.
    func request(_ connection: Options.Connection) async throws -> Request
}

extension SendingCommand {
    func answer(_ connection: Options.Connection) async throws -> Request.Answer { try await send(connection) }

    /// Sends the request. Only with `--json`, the answer contains what is signed, because the text does not show it.
    func send(_ connection: Options.Connection) async throws -> Request.Answer {
        var request = try await request(connection)
        if options.server.json, let including = request as? any IncludingRequest {
            request = including.including(TransactionPart.allCases) as? Request ?? request
        }
        if let seconds = options.settle, let settling = request as? any SettlingRequest {
            request = settling.settling(seconds) as? Request ?? request
        }
        return try await options.server.client().send(request, timeout: timeout)
    }
}

extension SettledAnswer {
    /// The answer without the deliveries.
    fileprivate var unsettled: Self {
        var answer = self
        answer.settled = nil
        return answer
    }
}

extension SettledInfo {
    /// The deliveries for which the request waited, in lines.
    fileprivate var text: String {
        let lines = pendingDeliveries.map { delivery in
            let result = delivery.sendAttemptResult.map { ", last result \($0.rawValue)" } ?? ""
            let next = delivery.nextAttemptDate.map { ", next attempt \($0.iso8601)" } ?? ""
            return "  \(delivery.notification) to \(delivery.endpoint)"
                + (delivery.paused == true ? ", which is paused" : result + next)
        }
        let more = pending > lines.count ? ["  … and \(pending - lines.count) more"] : []
        return (["delivered: \(delivered), pending: \(pending)"] + lines + more).joined(separator: "\n")
    }
}
