import ArgumentParser
import TillControl
import TillJSON

struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Sets and shows the shared secret for verifyReceipt.",
        discussion: """
            till secret create                       a new secret for the app
            till secret create --value abc123        the secret that your backend already has
            till secret show
            till secret create --team ISSUER-ID      the team's primary secret
            """,
        subcommands: [Create.self, Show.self, Remove.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets a shared secret: a random secret, or your own.",
            discussion: "till secret create --app com.example.app --value abc123"
        )

        @Option(help: "The secret; - reads it from standard input (default: 32 random hexadecimal digits).")
        var value: String?
        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @Option(help: "The issuer id of a team, to set the team's primary secret instead of an app's own secret.")
        var team: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            // Other users can see the arguments of a process, so the secret can also come from standard input.
            let secret = value == "-" ? readLine() ?? "" : value
            if let team {
                let request = SetPrimarySharedSecret(issuerId: team, sharedSecret: secret)
                return try await server.show(answerTo: request) { $0.sharedSecret ?? "" }
            }
            let bundleID = try await ScopeOptions.bundleID(app, try server.client())
            let request = SetSharedSecret(bundleId: bundleID, sharedSecret: secret)
            try await server.show(answerTo: request) { $0.sharedSecret ?? "" }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the shared secret that verifyReceipt requires for an app.",
            discussion: "till secret show --app com.example.app"
        )

        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let bundleID = try await ScopeOptions.bundleID(app, try server.client())
            try await server.show(answerTo: GetSharedSecret(bundleId: bundleID)) { answer in
                guard server.json || answer.sharedSecret != nil else {
                    throw CommandRefused("No shared secret is set. Create one with till secret create.")
                }
                return answer.sharedSecret ?? ""
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a shared secret.",
            discussion: "till secret remove --app com.example.app"
        )

        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @Option(help: "The issuer id of a team, to remove the team's primary secret instead of an app's own secret.")
        var team: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            if let team {
                _ = try await client.send(RemovePrimarySharedSecret(issuerId: team))
            } else {
                let bundleID = try await ScopeOptions.bundleID(app, client)
                _ = try await client.send(RemoveSharedSecret(bundleId: bundleID))
            }
            Output.show(.members(["removed": .bool(true)]), asJSON: server.json) { _ in "The secret is removed." }
        }
    }
}
