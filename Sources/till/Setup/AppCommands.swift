import ArgumentParser
import TillControl
import TillJSON

struct AppCommand: DocumentedCommand {
    static let summary = "Creates, lists, shows and deletes apps."
    static var subcommands: Subcommands { [Create.self, List.self, Show.self, Delete.self] }

    struct Create: SendingCommand {
        static let summary = "Creates an app, and a team if there is none."
        static let examples = "till app create com.example.app --apple-id 1234567890 --name 'My app'"

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
        static let summary = "Lists the apps."
        static let examples = "till app list"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListApps { ListApps() }
    }

    struct Show: SendingCommand {
        static let summary = "Shows an app."
        static let examples = "till app show com.example.app"

        @Argument(help: "The bundle identifier.")
        var bundleID: String
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> GetApp { GetApp(bundleId: bundleID) }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes an app with its catalog, customers, transactions, notifications and settings."
        static let examples = "till app delete com.example.app --yes"
        static let notes = "To delete only its activity, use till reset --app."

        @Argument(help: "The bundle identifier.")
        var bundleID: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var timeout: Duration { .seconds(600) }
        var deleted: JSONTree { .string(bundleID) }

        func request(_ client: ControlClient) async throws -> any ControlRequest {
            // An app that does not exist is an error.
            _ = try await client.send(GetApp(bundleId: bundleID))
            return Reset(bundleId: bundleID, everything: true)
        }

        func loss(_ client: ControlClient) async throws -> String {
            let app = try await client.send(GetApp(bundleId: bundleID))
            return "Delete the app \(app.bundleId) (\(app.name)) with all its data"
        }

        func heading(_ answer: Deletion) -> String? { "Deleted \(bundleID)." }
    }
}

extension AppInfo: TableRow {
    static let headings = ["APP", "APPLE ID", "NAME", "TEAM (ISSUER ID)"]
    static let empty = "No apps. Create one: till app create BUNDLE-ID"
    var cells: [String?] { [bundleId, String(appAppleId), name, issuerId] }
}
