import ArgumentParser
import TillShop

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes and revokes tokens for control, each with a name of its own.",
        discussion: """
            till token create ci                     prints the token, once
            till token list
            till token revoke ci                     the next request that bears it is refused

            On loopback control asks for no token. On another address it takes these beside the administrator's own
            (TILL_CONTROL_TOKEN, or the file control-token). A token lets its bearer do everything.
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token and prints it, once: Till keeps only its digest.",
            discussion: "till token create ci"
        )

        @Argument(help: "Whose it is, or what it is for: 1 to 64 letters, digits, dots, dashes and underscores.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let made = try await server.client().post("/v1/tokens", .members(["name": .string(name)]))
            Output.show(made, asJSON: server.json) { $0["token"]?.text ?? "" }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the names of the tokens.",
            discussion: "till token list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { try await $0.get("/v1/tokens") }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a token, at once.",
            discussion: "till token revoke ci"
        )

        @Argument(help: "The token's name.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.client().delete("/v1/tokens/\(escaped(name))")
            Output.show(.members(["revoked": .bool(true)]), asJSON: server.json) { _ in
                "\(name) is revoked; nobody gets in with it any more."
            }
        }
    }
}
