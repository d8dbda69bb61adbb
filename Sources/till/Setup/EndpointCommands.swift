import ArgumentParser
import TillControl
import TillJSON

struct EndpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "endpoint",
        abstract: "Configures the endpoints that receive notifications.",
        discussion: """
            till endpoint set http://127.0.0.1:3000/apple
            till endpoint set https://example.com/log --name log --types DID_RENEW,EXPIRED
            till endpoint set http://127.0.0.1:3000/old --name old --v1
            till endpoint remove
            """,
        subcommands: [List.self, Set.self, Pause.self, Resume.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the endpoints of an app's environment.",
            discussion: "till endpoint list --environment production"
        )

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                ListEndpoints(app: $0.app)
            } as: { endpoints in
                let lines = endpoints.map(EndpointCommand.words)
                return lines.isEmpty
                    ? "No endpoints. Set one with till endpoint set URL." : lines.joined(separator: "\n")
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the URL and the notification types of an endpoint.",
            discussion: "till endpoint set http://127.0.0.1:3000/apple"
        )

        @Argument(help: "An http or https URL.")
        var url: String
        @Option(help: "The name: primary, whose deliveries Get Notification History reports, or another name.")
        var name: String = "primary"
        @Option(help: "The notification types, separated by commas: DID_RENEW,EXPIRED/VOLUNTARY (default: all).")
        var types: String?
        @Flag(name: .customLong("v1"), help: "Sends version 1 notifications: plain JSON with a unified receipt.")
        var isVersionOne = false
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                SetEndpoint(
                    app: $0.app,
                    endpoint: name,
                    url: url,
                    types: types.map { $0.split(separator: ",").map(String.init) },
                    version: isVersionOne ? .one : nil
                )
            } as: {
                EndpointCommand.words($0)
            }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pauses an endpoint. Its deliveries wait until it is resumed.",
            discussion: "till endpoint pause --name log"
        )

        @OptionGroup var options: PauseOptions

        func run() async throws { try await options.update(paused: true) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resumes a paused endpoint, and delivers what is pending.",
            discussion: "till endpoint resume --name log"
        )

        @OptionGroup var options: PauseOptions

        func run() async throws { try await options.update(paused: false) }
    }

    struct PauseOptions: ParsableArguments {
        @Option(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func update(paused: Bool) async throws {
            try await server.show(in: scope) {
                UpdateEndpoint(app: $0.app, endpoint: name).pausing(paused)
            } as: {
                EndpointCommand.words($0)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes an endpoint and discards its pending deliveries.",
            discussion: "till endpoint remove --name log"
        )

        @Option(help: "The name of the endpoint.")
        var name: String = "primary"
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            _ = try await client.send(RemoveEndpoint(app: try await scope.app(client), endpoint: name))
            Output.show(.members(["removed": .string(name)]), asJSON: server.json) { _ in "Removed \(name)." }
        }
    }

    private static func words(_ endpoint: EndpointInfo) -> String {
        "\(endpoint.name)  \(endpoint.url)  \(endpoint.version == .one ? "version 1, " : "")"
            + (endpoint.types.isEmpty ? "all types" : endpoint.types.joined(separator: ", "))
            + (endpoint.paused == true ? ", paused" : "")
    }
}
