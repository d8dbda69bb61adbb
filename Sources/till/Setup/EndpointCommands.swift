import ArgumentParser
import TillControl

struct EndpointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates, lists, shows, updates, pauses and deletes the endpoints that receive notifications.",
        name: "endpoint",
        examples: """
            till endpoint create http://127.0.0.1:3000/apple
            till endpoint list
            """,
        subcommands: [
            Create.self, List.self, Show.self, Update.self, Pause.self, Resume.self, Delete.self,
        ]
    )

    struct Create: SendingCommand {
        static let configuration = CommandConfiguration(
            "Creates an endpoint, or replaces the endpoint of this name.",
            examples: """
                till endpoint create http://127.0.0.1:3000/apple
                till endpoint create https://example.com/log --name log --types DID_RENEW
                till endpoint create http://127.0.0.1:3000/old --name old --v1
                """
        )

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

        func text(_ endpoint: EndpointInfo) -> String { EndpointCommand.table([endpoint]) }
    }

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists the endpoints of an app's environment.",
            examples: "till endpoint list --environment production"
        )

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListEndpoints { ListEndpoints(app: shop.app) }

        func text(_ endpoints: [EndpointInfo]) -> String { EndpointCommand.table(endpoints) }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration("Shows an endpoint.", examples: "till endpoint show log")

        @Argument(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var options: EnvironmentOptions

        func run() async throws {
            let endpoint = try await EndpointCommand.endpoint(name, try await options.connect())
            try options.server.show(endpoint) { EndpointCommand.table([$0]) }
        }
    }

    struct Update: SendingCommand {
        static let configuration = CommandConfiguration(
            "Changes the URL or the notification types of an endpoint.",
            examples: """
                till endpoint update --url http://127.0.0.1:4000/apple
                till endpoint update log --types DID_RENEW,EXPIRED
                till endpoint update log --types all
                """
        )

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

        func text(_ endpoint: EndpointInfo) -> String { EndpointCommand.table([endpoint]) }
    }

    struct Pause: SendingCommand {
        static let configuration = CommandConfiguration(
            "Pauses an endpoint. Its deliveries wait until it is resumed.",
            examples: "till endpoint pause log"
        )

        @Argument(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> UpdateEndpoint {
            UpdateEndpoint(app: shop.app, endpoint: name).pausing(true)
        }

        func text(_ endpoint: EndpointInfo) -> String { EndpointCommand.table([endpoint]) }
    }

    struct Resume: SendingCommand {
        static let configuration = CommandConfiguration(
            "Resumes a paused endpoint, and delivers what is pending.",
            examples: "till endpoint resume log"
        )

        @Argument(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> UpdateEndpoint {
            UpdateEndpoint(app: shop.app, endpoint: name).pausing(false)
        }

        func text(_ endpoint: EndpointInfo) -> String { EndpointCommand.table([endpoint]) }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Deletes an endpoint and discards its pending deliveries.",
            examples: "till endpoint delete log --yes"
        )

        @Argument(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: EnvironmentOptions

        var deleted: String { name }

        func request(_ shop: AppClient) -> RemoveEndpoint { RemoveEndpoint(app: shop.app, endpoint: name) }

        func loss(_ shop: AppClient) -> String { "Delete the endpoint \(name) and its pending deliveries" }

        func heading(_ answer: NoAnswer) -> String? { "Deleted \(name)." }
    }

    private static func table(_ endpoints: [EndpointInfo]) -> String {
        Table.list(
            ["ENDPOINT", "URL", "VERSION", "TYPES", "STATE"],
            endpoints.map {
                [
                    $0.name, $0.url, $0.version == .one ? "1" : "2",
                    $0.types.isEmpty ? "all" : $0.types.joined(separator: ", "),
                    $0.paused == true ? "paused" : "active",
                ]
            },
            empty: "No endpoints. Create one: till endpoint create URL"
        )
    }

    private static func endpoint(_ name: String, _ shop: AppClient) async throws -> EndpointInfo {
        let endpoints = try await shop.client.send(ListEndpoints(app: shop.app))
        if let found = endpoints.first(where: { $0.name == name }) { return found }
        let known = endpoints.map(\.name).joined(separator: ", ")
        throw CommandRefused(
            "There is no endpoint \(name). "
                + (known.isEmpty ? "Create one: till endpoint create URL" : "Endpoints: \(known)."),
            code: "unknown_endpoint"
        )
    }
}
