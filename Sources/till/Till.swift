import ArgumentParser
import Foundation
import TillControl
import TillJSON
import TillServer
import TillShop

/// The command `till`. Most of its subcommands call a running server.
@main
struct Till: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "An App Store server that you run yourself.",
        discussion: CommandConfiguration.discussion(
            """
            # starts a server with a demo shop
            till serve --demo
            till buy com.example.till.demo.seeds.10 --customer ann
            # processes a month of events
            till clock advance 1mo
            till notification list
            till listen --forward-to http://127.0.0.1:3000/apple
            # explains why Apple's API refused a request
            till explain --last
            # runs a program with Till as its App Store
            till exec --demo -- pytest
            """,
            """
            The commands find a server on this machine in ./till-data. They read TILL_CONTROL, TILL_DATA, TILL_APP, \
            TILL_ENVIRONMENT, TILL_KEY and TILL_CONTROL_TOKEN. An empty variable counts as unset.

            With --json, answers are JSON, and a refusal is a JSON object with code and message on standard error. \
            Commands that delete or replace data ask on a terminal, and need --yes in a script.

            Exit codes: 0 success; 1 refused; 2 no server answers; 3 doctor, apple verify or apple compare found a \
            problem, or a backend accepted an attack; 4 the backend failed during an attack; 64 wrong usage.
            """
        ),
        version: TillVersion.text,
        subcommands: [CheckArguments.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    Serve.self, OpenCommand.self, ExecCommand.self, HostsCommand.self, AuthorityCommand.self,
                    TokenCommand.self, AuditCommand.self, CompletionsCommand.self,
                ]
            ),
            CommandGroup(
                name: "Apps and catalogs",
                subcommands: [
                    AppCommand.self, ImportCommand.self, ProductCommand.self, KeyCommand.self, SecretCommand.self,
                    SettingsCommand.self, JobCommand.self,
                ]
            ),
            CommandGroup(
                name: "Customers",
                subcommands: [
                    CustomerCommand.self, FamilyCommand.self, Buy.self, PurchaseCommand.self, TransactionCommand.self,
                    SubscriptionCommand.self, RefundCommand.self, CardCommand.self, ReceiptCommand.self,
                    SearchCommand.self,
                ]
            ),
            CommandGroup(
                name: "Time and notifications",
                subcommands: [ClockCommand.self, EndpointCommand.self, NotificationCommand.self, ListenCommand.self]
            ),
            CommandGroup(
                name: "Tests",
                subcommands: [
                    HistoryCommand.self, ExplainCommand.self, FaultCommand.self, AttackCommand.self,
                    FixturesCommand.self, SnapshotCommand.self, StateCommand.self, ResetCommand.self,
                ]
            ),
            CommandGroup(name: "Other App Store servers", subcommands: [AppleCommand.self]),
            CommandGroup(
                name: "Data",
                subcommands: [DoctorCommand.self, BackupCommand.self, RestoreCommand.self, MigrateCommand.self]
            ),
        ]
    )
}

extension Till {
    /// Runs the command. For a refusal it prints the message to standard error and sets the exit code.
    static func main() async {
        var running: (any ParsableCommand.Type)?
        do {
            try RetiredFlags.refuse(in: ownArguments, TillVariable.environment)
            try CommandWords.check(ownArguments)
            try refuseEmptyValues()
            var command = try parsed()
            running = type(of: command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            if let refused = reported(error) as? CommandRefused { fail(refused) }
            failAsJSON(error)
            showHelp(error)
            showWrongUsage(error, of: running)
            exit(withError: error)
        }
    }

    /// The command that the arguments name. The parser describes every command before it reads the first argument,
    /// which takes 6 ms of the start of a server, so `till serve` is parsed alone. For an error or its help, it is
    /// parsed again.
    private static func parsed() throws -> any ParsableCommand {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == Serve.configuration.commandName else { return try parseAsRoot() }
        let serve = try? Serve.parse(Array(arguments.dropFirst()))
        return try serve ?? parseAsRoot()
    }

    /// The error that the command reports for an error of the client; any other error unchanged.
    static func reported(_ error: any Error) -> any Error {
        switch error {
        case let failure as ControlFailure: CommandRefused(failure)
        case let unreachable as ControlUnreachable: CommandRefused(unreachable)
        default: error
        }
    }

    /// The arguments of the command itself. Without two dashes, the arguments of till exec and those of its program
    /// cannot be distinguished, so none is returned then.
    private static var ownArguments: [String] {
        let all = CommandLine.arguments.dropFirst()
        let arguments = Array(all.prefix { $0 != "--" })
        let isUnclear = arguments.first == ExecCommand.configuration.commandName && arguments.count == all.count
        return isUnclear ? [] : arguments
    }

    /// Refuses a flag with an empty value. No flag allows an empty value, which usually comes from an unset variable in
    /// a script.
    private static func refuseEmptyValues() throws {
        let arguments = ownArguments
        for (place, argument) in arguments.enumerated() where argument.hasPrefix("--") {
            let flag = argument.prefix { $0 != "=" }
            let next = arguments.dropFirst(place + 1).first
            guard argument == flag + "=" || argument == flag && next == "" else { continue }
            throw ValidationError("\(flag) has no value. Give a value, or remove \(flag).")
        }
    }

    /// If the error is a request for help, prints the help and exits.
    private static func showHelp(_ error: any Error) {
        guard exitCode(for: error) == .success, !(error is ExitCode), !fullMessage(for: error).isEmpty else { return }
        print(UsageLine.wrapped(in: fullMessage(for: error), at: Terminal.width))
        Foundation.exit(0)
    }

    /// If the error is wrong usage, prints what is wrong, with the usage of the command, and exits.
    ///
    /// - Parameter command: the command that threw the error itself; nil if the parser threw it.
    private static func showWrongUsage(_ error: any Error, of command: (any ParsableCommand.Type)?) {
        guard exitCode(for: error) == .validationFailure else { return }
        let own = command.map { "Error: \(message(for: error))\nUsage: \(usageString(for: $0))" }
        let text = own ?? fullMessage(for: error)
        Terminal.say("\(UsageLine.wrapped(in: text, at: Terminal.width).printableLines)\n")
        Foundation.exit(exitCode(for: error).rawValue)
    }

    /// Exits with the code of `exit(withError:)`. If `--json` was given, prints the error as JSON.
    private static func failAsJSON(_ error: any Error) {
        let (code, message) = (exitCode(for: error), message(for: error))
        guard wantsJSON, code != .success, !(error is ExitCode), !message.isEmpty else { return }
        let word = code == .validationFailure ? "wrong_usage" : "failed"
        fail(CommandRefused(message, code: word, exitCode: code.rawValue))
    }

    /// Whether `--json` was given. This is read from the raw arguments, because invalid arguments create no command.
    /// Arguments after two dashes belong to another program.
    private static var wantsJSON: Bool { CommandLine.arguments.prefix { $0 != "--" }.contains("--json") }

    private static func fail(_ refused: CommandRefused) -> Never {
        let json = String(decoding: refused.document.written(), as: UTF8.self)
        let text = wantsJSON ? json : "till: \(refused)".printableLines
        Terminal.say("\(text)\n")
        Foundation.exit(refused.exitCode)
    }
}
