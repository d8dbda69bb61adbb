import ArgumentParser
import TillControl
import TillJSON

/// A command that deletes or replaces data. On a terminal it asks first; otherwise it needs `--yes`.
protocol DestructiveCommand: AnsweringCommand {
    /// The flag with which the command does not ask.
    var confirmation: Confirmation { get }
    /// Whether the command only counts, so that it does not ask.
    var dryRun: Bool { get }
    /// What the command deletes or replaces, as a question without its mark: "Delete the clock trial".
    func loss(_ connection: Options.Connection) async throws -> String
}

extension DestructiveCommand {
    var dryRun: Bool { false }

    func run() async throws {
        if !dryRun { try await confirmation.confirm { try await loss(try await options.connect()) } }
        try await show()
    }
}

/// A command whose deletion the server answers without a body.
protocol DeletingCommand: DestructiveCommand where Answer == Deletion {
    /// What `--json` prints as deleted.
    var deleted: JSONTree { get }
    /// The request.
    func request(_ connection: Options.Connection) async throws -> any ControlRequest
}

extension DeletingCommand {
    func answer(_ connection: Options.Connection) async throws -> Deletion {
        _ = try await options.server.client().send(try await request(connection), timeout: timeout)
        return Deletion(deleted: deleted)
    }

    func heading(_ answer: Deletion) -> String? { "Deleted \(deleted.text ?? "")." }
    func text(_ answer: Deletion) -> String { heading(answer)?.bold ?? "" }
}

/// What `--json` prints after a deletion.
struct Deletion: Encodable {
    let deleted: JSONTree
}

/// The options of a command that erases or replaces all data.
struct ReplacingOptions: ParsableArguments {
    @Option(help: "The text production, which a server with the production guard demands.")
    var confirm: String?
    @OptionGroup var confirmation: Confirmation
}

/// The flag with which a command does not ask.
struct Confirmation: ParsableArguments {
    @Flag(help: "Does not ask. Required if no terminal is there to ask.")
    var yes = false

    /// Asks, unless `--yes` was given.
    ///
    /// - Throws: `ValidationError` if there is no terminal, `CommandRefused` if the answer is not yes.
    func confirm(_ loss: () async throws -> String) async throws {
        if yes { return }
        guard Terminal.canAsk else {
            throw ValidationError("The command deletes or replaces data, and no terminal is there to ask. Add --yes.")
        }
        Terminal.say("\(try await loss())? [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else { throw CommandRefused("Nothing was changed.", code: "not_confirmed") }
    }
}
