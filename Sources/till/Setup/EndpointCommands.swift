import ArgumentParser
import TillControl
import TillJSON

struct EndpointCommand: DocumentedCommand {
    static let summary = "Creates, lists, shows, updates, pauses and deletes the endpoints that receive notifications."
    static var subcommands: Subcommands {
        [Create.self, List.self, Show.self, Update.self, Pause.self, Resume.self, Delete.self]
    }

    struct Create: SendingCommand {
        static let summary = "Creates an endpoint, or replaces the endpoint of this name."
        static let examples = """
            till endpoint create http://127.0.0.1:3000/apple
            till endpoint create https://example.com/log --name log --types DID_RENEW
            till endpoint create http://127.0.0.1:3000/old --name old --v1
            """

        @Argument(help: "An http or https URL.")
        var url: String
        @Option(help: "The name: primary, whose deliveries Get Notification History reports, or another name.")
        var name: String = "primary"
        @Option(help: "The notification types, separated by commas: DID_RENEW,EXPIRED/VOLUNTARY (default: all).")
        var types: String?
        @Flag(name: .customLong("v1"), help: "Sends version 1 notifications: plain JSON with a unified receipt.")
        var isVersionOne = false
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> SetEndpoint {
            SetEndpoint(
                app: shop.app,
                endpoint: name,
                url: url,
                types: types.map { $0.split(separator: ",").map(String.init) },
                version: isVersionOne ? .one : nil
            )
        }
    }

    struct List: SendingCommand {
        static let summary = "Lists the endpoints of an app's environment."
        static let examples = "till endpoint list --environment production"

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListEndpoints { ListEndpoints(app: shop.app) }
    }

    struct Show: AnsweringCommand {
        static let summary = "Shows an endpoint."
        static let examples = "till endpoint show log"

        @OptionGroup var options: EndpointOptions

        func answer(_ shop: AppClient) async throws -> EndpointInfo {
            let endpoints = try await shop.client.send(ListEndpoints(app: shop.app))
            if let found = endpoints.first(where: { $0.name == options.name }) { return found }
            let known = endpoints.map(\.name).joined(separator: ", ")
            throw CommandRefused(
                "There is no endpoint \(options.name). "
                    + (known.isEmpty ? "Create one: till endpoint create URL" : "Endpoints: \(known)."),
                code: "unknown_endpoint"
            )
        }
    }

    struct Update: SendingCommand {
        static let summary = "Changes the URL or the notification types of an endpoint."
        static let examples = """
            till endpoint update --url http://127.0.0.1:4000/apple
            till endpoint update log --types DID_RENEW,EXPIRED
            till endpoint update log --types all
            """

        @Argument(help: "The name of the endpoint.")
        var name: String = "primary"
        @Option(help: "An http or https URL.")
        var url: String?
        @Option(help: "The notification types, separated by commas, or all.")
        var types: String?
        @OptionGroup var options: EnvironmentOptions

        func validate() throws {
            if url == nil, types == nil { throw ValidationError("Give --url or --types.") }
        }

        func request(_ shop: AppClient) -> UpdateEndpoint {
            let chosen = types.map { $0 == "all" ? [] : $0.split(separator: ",").map(String.init) }
            return UpdateEndpoint(app: shop.app, endpoint: name, url: url, types: chosen)
        }
    }

    struct Pause: SendingCommand {
        static let summary = "Pauses an endpoint. Its deliveries wait until it is resumed."
        static let examples = "till endpoint pause log"

        @OptionGroup var options: EndpointOptions

        func request(_ shop: AppClient) -> UpdateEndpoint {
            UpdateEndpoint(app: shop.app, endpoint: options.name).pausing(true)
        }
    }

    struct Resume: SendingCommand {
        static let summary = "Resumes a paused endpoint, and delivers what is pending."
        static let examples = "till endpoint resume log"

        @OptionGroup var options: EndpointOptions

        func request(_ shop: AppClient) -> UpdateEndpoint {
            UpdateEndpoint(app: shop.app, endpoint: options.name).pausing(false)
        }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes an endpoint and discards its pending deliveries."
        static let examples = "till endpoint delete log --yes"

        @Argument(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: EnvironmentOptions

        var deleted: JSONTree { .string(name) }

        func request(_ shop: AppClient) -> any ControlRequest { RemoveEndpoint(app: shop.app, endpoint: name) }

        func loss(_ shop: AppClient) -> String { "Delete the endpoint \(name) and its pending deliveries" }
    }
}

/// The options of a command about an endpoint.
struct EndpointOptions: EnvironmentConnecting {
    @Argument(help: "The name of the endpoint.")
    var name: String = "primary"
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions
}

extension AnsweringCommand where Answer == EndpointInfo {
    func text(_ endpoint: EndpointInfo) -> String { Table.list([endpoint]) }
}

extension EndpointInfo: TableRow {
    static let headings = ["ENDPOINT", "URL", "VERSION", "TYPES", "STATE"]
    static let empty = "No endpoints. Create one: till endpoint create URL"
    var cells: [String?] {
        [
            name, url, version == .one ? "1" : "2", types.isEmpty ? "all" : types.joined(separator: ", "),
            paused == true ? "paused" : "active",
        ]
    }
}
