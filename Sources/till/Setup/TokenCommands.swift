import ArgumentParser
import TillControl
import TillJSON

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Creates and revokes named tokens for the control API.",
        discussion: """
            till token create ci                     prints the token, once
            till token list
            till token revoke ci                     requests with this token are refused

            On loopback the control API requires no token. On other addresses it accepts these tokens and the
            administrator's token (TILL_CONTROL_TOKEN, or the file control-token). Each token gives full access.
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
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: CreateToken(name: name)) { $0.token ?? "" }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the names of the tokens.",
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
