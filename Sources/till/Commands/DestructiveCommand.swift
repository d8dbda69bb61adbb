import ArgumentParser
import TillControl
import TillJSON

/// A command that deletes data. On a terminal it asks first; otherwise it needs `--yes`.
protocol DestructiveCommand: SendingCommand {
    /// The flag with which the command does not ask.
    var confirmation: Confirmation { get }
    /// What the command deletes or replaces, as the end of the question "Delete …?".
    func loss(_ connection: Options.Connection) async throws -> String
    /// What `--json` prints if the server's answer is empty.
    var deleted: String { get }
}

extension DestructiveCommand {
    var deleted: String { "" }

    func run() async throws {
        try await confirmation.confirm { try await loss(try await options.connect()) }
        guard Request.Answer.self == NoAnswer.self else { return try await send() }
        let request = try await request(try await options.connect())
        let answer = try await options.server.client().send(request, timeout: timeout)
        let output = try text(answer)
        Output.show(.members(["deleted": .string(deleted)]), asJSON: options.server.json) { _ in output }
    }
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
