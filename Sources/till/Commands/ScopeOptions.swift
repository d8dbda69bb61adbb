import ArgumentParser
import TillControl
import TillShop

/// A client for requests about an app in one of its environments.
struct AppClient: Sendable {
    let client: ControlClient
    let app: AppEnvironment
}

/// The options with which a command selects an app and an environment.
struct ScopeOptions: ParsableArguments {
    @Option(help: "The bundle identifier (environment: TILL_APP; default: the only app).")
    var app: String?
    @Option(help: "The environment (environment: TILL_ENVIRONMENT; default: sandbox).")
    var environment: StoreEnvironment?

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

/// Options that select an app in one of its environments.
protocol EnvironmentConnecting: Connecting where Connection == AppClient {
    /// The app and the environment.
    var scope: ScopeOptions { get }
}

extension EnvironmentConnecting {
    func connect() async throws -> AppClient {
        let client = try server.client()
        let environment = try scope.chosenEnvironment()
        return AppClient(
            client: client,
            app: AppEnvironment(try await ScopeOptions.bundleID(scope.app, client), environment)
        )
    }
}

/// The options of a command about an app in one of its environments.
struct EnvironmentOptions: EnvironmentConnecting {
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions
}

/// The options of a command about an app, in both environments.
struct AppOptions: Connecting {
    @Option(help: "The bundle identifier (environment: TILL_APP; default: the only app).")
    var app: String?
    @OptionGroup var server: ServerOptions

    /// The bundle identifier of the app.
    func connect() async throws -> String { try await ScopeOptions.bundleID(app, try server.client()) }
}

/// The options of an operation that causes notifications.
struct SettlingOptions: EnvironmentConnecting {
    @Option(help: "How many seconds to wait at most, 0 to 60, until the notifications are delivered.")
    var settle: Int?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions
}

/// The options of an operation that causes notifications and can happen at a chosen time.
struct ActionOptions: EnvironmentConnecting {
    @Option(help: "The time, such as 2026-03-01, 2026-03-01T10:00:00Z, or milliseconds since 1970 (default: now).")
    var at: Timestamp?
    @OptionGroup var settling: SettlingOptions

    var scope: ScopeOptions { settling.scope }
    var server: ServerOptions { settling.server }
    var settle: Int? { settling.settle }
}

/// The customer of a list. The lists of other objects have an option for the customer, so both forms are understood.
struct ListedCustomer: ParsableArguments {
    @Argument(help: "The customer's name.")
    var customer: String?
    @Option(name: .customLong("customer"), help: "Another way to give the customer's name.")
    var named: String?

    var name: String { customer ?? named ?? "" }

    func validate() throws {
        guard (customer == nil) != (named == nil) else { throw ValidationError("Give the name of one customer.") }
    }
}
