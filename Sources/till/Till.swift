import ArgumentParser
import Foundation
import TillServer
import TillShop

/// The command. Without `serve` it is a client of a running server.
@main
struct Till: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "An App Store server of one's own.",
        discussion: """
            till serve --demo                         start with a demo shop
            till buy com.example.till.demo.seeds.10 --customer ann
            till clock advance 1mo                    what a month brings
            till listen --forward-to http://127.0.0.1:3000/apple
            till history 2000000000012345             what Apple's API answers
            till explain 7ABC…                        why a request was refused
            till exec --demo -- pytest                a program that takes Till for the App Store

            Every setting of serve is also an environment variable (--control-port is TILL_CONTROL_PORT) and a key
            of its configuration file (controlPort). The other commands know TILL_CONTROL, TILL_DATA, TILL_APP,
            TILL_REALM, TILL_KEY and TILL_CONTROL_TOKEN. An empty variable counts as unset.

            With --json a refusal is JSON too, on standard error: an object with code and message.

            Exit codes: 0 done, 1 refused, 2 server not reached, 3 doctor or attack found something, 4 attack met
            errors of the backend, 64 wrong usage.
            """,
        version: TillVersion.text,
        subcommands: [
            Serve.self, AppCommand.self, KeyCommand.self, TokenCommand.self, SecretCommand.self, ImportCommand.self,
            CustomerCommand.self,
            FamilyCommand.self,
            Buy.self, ReceiptCommand.self, PurchaseCommand.self, SubscriptionCommand.self, CardCommand.self,
            AskToBuyCommand.self,
            RefundCommand.self, ProductCommand.self, PriceCommand.self, ExtendCommand.self, JobCommand.self,
            ClockCommand.self, RulesCommand.self, EndpointCommand.self, NotificationsCommand.self, NotifyCommand.self,
            ListenCommand.self, FaultCommand.self, ResetCommand.self, SnapshotCommand.self, ExportStateCommand.self,
            ImportStateCommand.self, History.self, Explain.self, AuthorityCommand.self,
            AttackCommand.self,
            HostsCommand.self, ExecCommand.self, DoctorCommand.self, BackupCommand.self, RestoreCommand.self,
            MigrateCommand.self, PruneCommand.self,
            Simulate.self,
        ]
    )
}

extension Till {
    /// Runs the command that was asked for; every refusal has its exit code and says what to do on standard error.
    static func main() async {
        do {
            try refuseEmptyValues()
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let refused as CommandRefused {
            fail(refused.description, refused.document, code: 1)
        } catch let unreached as ServerNotReached {
            fail(unreached.description, unreached.document, code: 2)
        } catch {
            failAsJSON(error)
            exit(withError: error)
        }
    }

    /// An empty value is a variable of a script that is not set. Nothing that a flag names can be empty.
    private static func refuseEmptyValues() throws {
        let all = CommandLine.arguments.dropFirst()
        let arguments = Array(all.prefix { $0 != "--" })
        // Without two dashes nobody knows where the arguments of the program begin.
        if arguments.first == ExecCommand.configuration.commandName, arguments.count == all.count { return }
        for (place, argument) in arguments.enumerated() where argument.hasPrefix("--") {
            let flag = argument.prefix { $0 != "=" }
            let next = arguments.dropFirst(place + 1).first
            guard argument == flag + "=" || argument == flag && next == "" else { continue }
            throw ValidationError("\(flag) has no value. Give one, or leave \(flag) out.")
        }
    }

    /// Ends with the same exit code as `exit(withError:)`, if `--json` asked for it and there is something to say.
    private static func failAsJSON(_ error: any Error) {
        let (code, message) = (exitCode(for: error), message(for: error))
        guard wantsJSON, code != .success, !(error is ExitCode), !message.isEmpty else { return }
        let refused = CommandRefused(message, code: code == .validationFailure ? "wrong_usage" : "failed")
        fail(refused.description, refused.document, code: code.rawValue)
    }

    /// Read from the arguments themselves, because wrong ones leave no command. What follows two dashes is another
    /// program's.
    private static var wantsJSON: Bool { CommandLine.arguments.prefix { $0 != "--" }.contains("--json") }

    private static func fail(_ message: String, _ document: JSONTree, code: Int32) -> Never {
        let text = wantsJSON ? String(decoding: document.written(), as: UTF8.self) : "till: \(message)"
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        Foundation.exit(code)
    }
}
