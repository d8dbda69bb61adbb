import ArgumentParser
import TillControl
import TillJSON

struct SecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates, shows and deletes the shared secret for verifyReceipt.",
        name: "secret",
        examples: """
            # a new secret for the app
            till secret create
            # the secret that your backend already has
            till secret create --value abc123
            """,
        subcommands: [Create.self, Show.self, Delete.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Sets a shared secret: a random secret, or your own.",
            examples: """
                till secret create --app com.example.app --value abc123
                # the team's primary secret
                till secret create --team 57246542-96fe-1a63-e053-0824d011072a
                """
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
                return try server.show(try await server.client().send(request)) { $0.sharedSecret ?? "" }
            }
            let bundleID = try await ScopeOptions.bundleID(app, try server.client())
            let request = SetSharedSecret(bundleId: bundleID, sharedSecret: secret)
            try server.show(try await server.client().send(request)) { $0.sharedSecret ?? "" }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Shows the shared secret that verifyReceipt requires for an app.",
            examples: "till secret show --app com.example.app"
        )

        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let bundleID = try await ScopeOptions.bundleID(app, try server.client())
            try server.show(try await server.client().send(GetSharedSecret(bundleId: bundleID))) { answer in
                guard server.json || answer.sharedSecret != nil else {
                    throw CommandRefused("No shared secret is set. Create one with till secret create.")
                }
                return answer.sharedSecret ?? ""
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Deletes a shared secret.",
            examples: "till secret delete --app com.example.app --yes"
        )

        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @Option(help: "The issuer id of a team, to delete the team's primary secret instead of an app's own secret.")
        var team: String?
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            try await confirmation.confirm {
                if let team { return "Delete the primary secret of the team \(team)" }
                return "Delete the shared secret of \(try await ScopeOptions.bundleID(app, client))"
            }
            if let team {
                _ = try await client.send(SetPrimarySharedSecret(issuerId: team, remove: true))
            } else {
                let bundleID = try await ScopeOptions.bundleID(app, client)
                _ = try await client.send(SetSharedSecret(bundleId: bundleID, remove: true))
            }
            Output.show(.members(["deleted": .bool(true)]), asJSON: server.json) { _ in "The secret is deleted." }
        }
    }
}
