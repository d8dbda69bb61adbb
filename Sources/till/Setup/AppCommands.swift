import ArgumentParser
import TillControl

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates, lists, shows and deletes apps.",
        name: "app",
        examples: "till app create com.example.app --apple-id 1234567890",
        subcommands: [Create.self, List.self, Show.self, Delete.self]
    )

    struct Create: SendingCommand {
        static let configuration = CommandConfiguration(
            "Creates an app, and a team if there is none.",
            examples: "till app create com.example.app --apple-id 1234567890 --name 'My app'"
        )

        @Argument(help: "The bundle identifier.")
        var bundleID: String
        @Option(help: "The app's Apple ID (default: the next free one).")
        var appleID: Int64?
        @Option(help: "The app's name.")
        var name: String?
        @Option(help: "The issuer id of the app's team; required if there are several teams.")
        var issuer: String?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> CreateApp {
            CreateApp(bundleId: bundleID, appAppleId: appleID, name: name, issuerId: issuer)
        }

        func heading(_ app: AppInfo) -> String? { "The app \(app.bundleId) is created." }
    }

    struct List: SendingCommand {
        static let configuration = CommandConfiguration("Lists the apps.", examples: "till app list")

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListApps { ListApps() }

        func text(_ apps: [AppInfo]) -> String {
            Table.list(
                ["APP", "APPLE ID", "NAME", "TEAM (ISSUER ID)"],
                apps.map { [$0.bundleId, String($0.appAppleId), $0.name, $0.issuerId] },
                empty: "No apps. Create one: till app create BUNDLE-ID"
            )
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration("Shows an app.", examples: "till app show com.example.app")

        @Argument(help: "The bundle identifier.")
        var bundleID: String
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> GetApp { GetApp(bundleId: bundleID) }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Deletes an app with its catalog, customers, transactions, notifications and settings.",
            examples: "till app delete com.example.app --yes",
            notes: "To delete only its activity, use till reset --app."
        )

        @Argument(help: "The bundle identifier.")
        var bundleID: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var timeout: Duration { .seconds(600) }

        func request(_ client: ControlClient) async throws -> Reset {
            // An app that does not exist is an error.
            _ = try await client.send(GetApp(bundleId: bundleID))
            return Reset(bundleId: bundleID, everything: true)
        }

        func loss(_ client: ControlClient) async throws -> String {
            let app = try await client.send(GetApp(bundleId: bundleID))
            return "Delete the app \(app.bundleId) (\(app.name)) with all its data"
        }

        func text(_ answer: Reset.Answer) -> String { "Deleted \(bundleID)." }
    }
}
