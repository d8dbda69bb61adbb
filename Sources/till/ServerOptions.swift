import ArgumentParser
import Foundation
import TillControl
import TillJSON
import TillShop

/// The options with which a command finds the running server.
struct ServerOptions: ParsableArguments {
    @Option(help: "The URL of the control API, such as http://127.0.0.1:8890 (default: read from the data directory).")
    var control: String?
    @Option(help: "The data directory of a server on this machine (default ./till-data).")
    var data: String?
    @Flag(help: "Prints the answer as JSON, for scripts.")
    var json = false

    init() {}

    /// Creates the options for a command that declares them itself.
    init(control: String?, data: String?) {
        self.control = control
        self.data = data
    }

    func client() throws -> ControlClient {
        let server = try server()
        return ControlClient(server.address, token: server.token, http: WebClient.http)
    }

    /// The server's control API, the token for it, and the data directory in which a local server has its files.
    func server() throws -> (address: String, token: String?, directory: DataDirectory) {
        let named = data ?? TillVariable.text("DATA")
        let directory = DataDirectory(named ?? "./till-data")
        let found = control ?? TillVariable.text("CONTROL") ?? Self.address(in: directory)
        // With an explicit data directory, a server on the default port could be another server than the user wants.
        if found == nil, let named {
            throw ServerNotReached("No server has started in \(named) yet: till serve --data \(named)")
        }
        let token = TillVariable.text("CONTROL_TOKEN") ?? (try? DataDirectory.read(directory.controlToken))
        return (
            address: found ?? "http://127.0.0.1:8890",
            token: token?.trimmingCharacters(in: .whitespacesAndNewlines),
            directory: directory
        )
    }

    /// Prints an answer.
    func show<Answer: Encodable>(
        _ answer: Answer,
        as text: (Answer) throws -> String = { try Output.lines(of: $0) }
    ) throws {
        try Output.show(answer, asJSON: json, text)
    }

    /// Sends a request, and prints the answer.
    func show<Request: ControlRequest>(
        answerTo request: Request,
        timeout: Duration = .seconds(60),
        as text: (Request.Answer) throws -> String = { try Output.lines(of: $0) }
    ) async throws {
        try show(try await client().send(request, timeout: timeout), as: text)
    }

    /// Sends a request about an app in an environment, and prints the answer.
    func show<Request: EnvironmentRequest>(
        in scope: ScopeOptions,
        timeout: Duration = .seconds(60),
        _ request: (AppClient) async throws -> Request,
        as text: (Request.Answer) throws -> String = { try Output.lines(of: $0) }
    ) async throws {
        let server = try await scope.connect(to: try client())
        var request = try await request(server)
        // The text shows nothing that is signed.
        if json, let including = request as? any IncludingRequest {
            request = including.including(TransactionPart.allCases) as? Request ?? request
        }
        try show(try await server.client.send(request, timeout: timeout), as: text)
    }

    private static func address(in directory: DataDirectory) -> String? {
        guard let text = try? DataDirectory.read(directory.ports), let tree = try? JSONTree.parse(Array(text.utf8))
        else {
            return nil
        }
        return tree["control"]?.text
    }
}

/// The options with which a command selects an app and an environment.
struct ScopeOptions: ParsableArguments {
    @Option(help: "The bundle identifier (default: the only app).")
    var app: String?
    @Option(help: "The environment (default: sandbox).")
    var environment: StoreEnvironment?

    /// The app in its environment, with the client.
    func connect(to client: ControlClient) async throws -> AppClient {
        AppClient(client: client, app: try await app(client))
    }

    func app(_ client: ControlClient) async throws -> AppEnvironment {
        let environment = try chosenEnvironment()
        return AppEnvironment(try await bundleID(client), environment)
    }

    /// The environment of the option or of the variable `TILL_ENVIRONMENT`; the sandbox by default.
    func chosenEnvironment() throws -> StoreEnvironment {
        if let environment { return environment }
        guard let text = TillVariable.text("ENVIRONMENT") else { return .sandbox }
        guard let environment = StoreEnvironment(rawValue: text) else {
            let known = StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandRefused("TILL_ENVIRONMENT is \(text), which is not an environment. Environments: \(known).")
        }
        return environment
    }

    func bundleID(_ client: ControlClient) async throws -> String { try await Self.bundleID(app, client) }

    /// The given app, the app of the variable `TILL_APP`, or the only app of the server.
    static func bundleID(_ app: String?, _ client: ControlClient) async throws -> String {
        if let app = app ?? TillVariable.text("APP") { return app }
        let apps = try await client.send(ListApps()).map(\.bundleId)
        guard apps.count == 1 else {
            throw CommandRefused(
                apps.isEmpty
                    ? "There is no app yet. Create one with till app create BUNDLE-ID."
                    : "There are \(apps.count) apps. Name one with --app: \(apps.joined(separator: ", ")).",
                code: apps.isEmpty ? "no_app" : "several_apps"
            )
        }
        return apps[0]
    }
}

/// A client for requests about an app in one of its environments.
struct AppClient: Sendable {
    let client: ControlClient
    let app: AppEnvironment

    /// The original transaction id of a subscription. The user gives the id of one of its transactions, or a customer
    /// who has one subscription.
    func subscription(_ named: String) async throws -> String {
        if named.utf8.count >= 15, named.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return named }
        let subscriptions = try await client.send(ListSubscriptions(app: app, customer: named))
        let own = subscriptions.filter { $0.inAppOwnershipType == .purchased }
        guard let only = own.first, own.count == 1 else {
            throw CommandRefused(
                own.isEmpty
                    ? "Customer \(named) has bought no subscription."
                    : "Customer \(named) has \(own.count) subscriptions. Give the original transaction of one:\n"
                        + own.map(ActionSummary.subscription).joined(separator: "\n")
            )
        }
        return only.originalTransactionId
    }
}
