import ArgumentParser
import TillControl
import TillJSON

struct SecretCommand: DocumentedCommand {
    static let summary = "Creates, shows and deletes the shared secret for verifyReceipt."
    static var subcommands: Subcommands { [Create.self, Show.self, Delete.self] }

    struct Create: AnsweringCommand {
        static let summary = "Sets a shared secret: a random secret, or your own."
        static let examples = """
            till secret create --app com.example.app --value abc123
            # the team's primary secret
            till secret create --team 57246542-96fe-1a63-e053-0824d011072a
            """

        @Option(help: "The secret; - reads it from standard input (default: 32 random hexadecimal digits).")
        var value: String?
        @Option(help: "The bundle identifier (environment: TILL_APP; default: the only app).")
        var app: String?
        @Option(help: "The issuer id of a team, to set the team's primary secret instead of an app's own secret.")
        var team: String?
        @OptionGroup var options: ServerOptions

        func answer(_ client: ControlClient) async throws -> SharedSecretInfo {
            // Other users can see the arguments of a process, so the secret can also come from standard input.
            let secret = value == "-" ? readLine() ?? "" : value
            if let team { return try await client.send(SetPrimarySharedSecret(issuerId: team, sharedSecret: secret)) }
            let bundleID = try await ScopeOptions.bundleID(app, client)
            return try await client.send(SetSharedSecret(bundleId: bundleID, sharedSecret: secret))
        }

        func text(_ answer: SharedSecretInfo) -> String { answer.sharedSecret ?? "" }
    }

    struct Show: SendingCommand {
        static let summary = "Shows the shared secret that verifyReceipt requires for an app."
        static let examples = "till secret show --app com.example.app"

        @OptionGroup var options: AppOptions

        func request(_ bundleID: String) -> GetSharedSecret { GetSharedSecret(bundleId: bundleID) }

        func text(_ answer: SharedSecretInfo) throws -> String {
            guard options.server.json || answer.sharedSecret != nil else {
                throw CommandRefused("No shared secret is set. Create one with till secret create.")
            }
            return answer.sharedSecret ?? ""
        }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes a shared secret."
        static let examples = "till secret delete --app com.example.app --yes"

        @Option(help: "The bundle identifier (environment: TILL_APP; default: the only app).")
        var app: String?
        @Option(help: "The issuer id of a team, to delete the team's primary secret instead of an app's own secret.")
        var team: String?
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var deleted: JSONTree { .bool(true) }

        func request(_ client: ControlClient) async throws -> any ControlRequest {
            if let team { return SetPrimarySharedSecret(issuerId: team, remove: true) }
            return SetSharedSecret(bundleId: try await ScopeOptions.bundleID(app, client), remove: true)
        }

        func loss(_ client: ControlClient) async throws -> String {
            if let team { return "Delete the primary secret of the team \(team)" }
            return "Delete the shared secret of \(try await ScopeOptions.bundleID(app, client))"
        }

        func heading(_ answer: Deletion) -> String? { "The secret is deleted." }
    }
}
