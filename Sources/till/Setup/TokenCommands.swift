import ArgumentParser
import TillControl
import TillCore
import TillJSON

struct TokenCommand: DocumentedCommand {
    static let summary = "Creates, lists and deletes named tokens for the control API."
    static let notes =
        "On loopback the control API requires no token. On other addresses it accepts these tokens and the "
        + "administrator's token (TILL_CONTROL_TOKEN, or the file control-token). A token permits only what its "
        + "scope permits: metrics, read, operate or administer (default: operate). Each includes those before it."
    static var subcommands: Subcommands { [Create.self, List.self, Delete.self] }

    struct Create: SendingCommand {
        static let summary = "Creates a token and prints it once. Till stores only a digest of the token."
        static let examples = "till token create ci"

        @Argument(help: "The owner or purpose of the token: 1 to 64 letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "What the token permits: metrics, read, operate or administer (default: operate).")
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
        static let summary = "Lists the tokens with their scopes."
        static let examples = "till token list"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListTokens { ListTokens() }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes a token. Requests with it are refused at once."
        static let examples = "till token delete ci --yes"

        @Argument(help: "The token's name.")
        var name: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var deleted: JSONTree { .string(name) }

        func request(_ client: ControlClient) -> any ControlRequest { RevokeToken(tokenName: name) }

        func loss(_ client: ControlClient) -> String { "Delete the token \(name)" }

        func heading(_ answer: Deletion) -> String? { "Deleted \(name). Requests with this token are refused." }
    }
}

extension TokenInfo: TableRow {
    static let headings = ["TOKEN", "SCOPE", "APP", "CREATED"]
    static let empty = "No tokens. Create one: till token create NAME"
    var cells: [String?] { [name, scope.rawValue, bundleId ?? "all apps", createdDate.iso8601] }
}
