import ArgumentParser
import TillControl
import TillCore

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates, lists and deletes named tokens for the control API.",
        name: "token",
        examples: """
            # prints the token, once
            till token create ci
            till token create ann --scope read --app com.example.app
            till token delete ci --yes
            """,
        notes: "On loopback the control API requires no token. On other addresses it accepts these tokens and the "
            + "administrator's token (TILL_CONTROL_TOKEN, or the file control-token). A token permits only what its "
            + "scope permits: metrics, read, operate (default) or administer. Each scope includes the ones before it.",
        subcommands: [Create.self, List.self, Delete.self]
    )

    struct Create: SendingCommand {
        static let configuration = CommandConfiguration(
            "Creates a token and prints it once. Till stores only a digest of the token.",
            examples: "till token create ci"
        )

        @Argument(help: "The owner or purpose of the token: 1 to 64 letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "What the token permits: metrics, read, operate (default) or administer.")
        var scope: ControlScope?
        @Option(help: "The bundle id of the only app that the token permits to read or change.")
        var app: String?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> CreateToken { CreateToken(name: name, scope: scope, bundleId: app) }

        /// Only the token, for scripts. What to do with it goes to standard error.
        func text(_ token: TokenInfo) -> String {
            Terminal.say("Use the token as TILL_CONTROL_TOKEN, or as a bearer token. It is not shown again.\n")
            return token.token ?? ""
        }
    }

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists the tokens with their scopes.",
            examples: "till token list"
        )

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListTokens { ListTokens() }

        func text(_ tokens: [TokenInfo]) -> String {
            Table.list(
                ["TOKEN", "SCOPE", "APP", "CREATED"],
                tokens.map { [$0.name, $0.scope.rawValue, $0.bundleId ?? "all apps", $0.createdDate.iso8601] },
                empty: "No tokens. Create one: till token create NAME"
            )
        }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Deletes a token. Requests with it are refused at once.",
            examples: "till token delete ci --yes"
        )

        @Argument(help: "The token's name.")
        var name: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var deleted: String { name }

        func request(_ client: ControlClient) -> RevokeToken { RevokeToken(tokenName: name) }

        func loss(_ client: ControlClient) -> String { "Delete the token \(name)" }

        func heading(_ answer: NoAnswer) -> String? { "Deleted \(name). Requests with this token are refused." }
    }
}
