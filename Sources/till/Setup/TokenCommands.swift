import ArgumentParser
import TillControl
import TillJSON

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Creates and revokes named tokens for the control API.",
        discussion: """
            till token create ci                     prints the token, once
            till token create ann --scope read --app com.example.app
            till token list
            till token revoke ci                     requests with this token are refused

            On loopback the control API requires no token. On other addresses it accepts these tokens and the
            administrator's token (TILL_CONTROL_TOKEN, or the file control-token). A token permits only what its scope
            permits: metrics, read, operate (default) or administer. Each scope includes the ones before it.
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a token and prints it once. Till stores only a digest of the token.",
            discussion: "till token create ci"
        )

        @Argument(help: "The owner or purpose of the token: 1 to 64 letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "What the token permits: metrics, read, operate (default) or administer.")
        var scope: ControlScope?
        @Option(help: "The bundle id of the only app that the token permits to read or change.")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let request = CreateToken(name: name, scope: scope, bundleId: app)
            try await server.show(answerTo: request) { $0.token ?? "" }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the tokens with their scopes.",
            discussion: "till token list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: ListTokens()) { try Output.lines(of: ["tokens": $0]) }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a token immediately.",
            discussion: "till token revoke ci"
        )

        @Argument(help: "The token's name.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            _ = try await server.client().send(RevokeToken(tokenName: name))
            Output.show(.members(["revoked": .bool(true)]), asJSON: server.json) { _ in
                "Revoked \(name). Requests with this token are refused."
            }
        }
    }
}
