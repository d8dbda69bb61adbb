import ArgumentParser
import TillControl
import TillShop

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

/// The options of a command about an app in one of its environments.
struct EnvironmentOptions: Connecting {
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func connect() async throws -> AppClient { try await scope.connect(to: try server.client()) }
}

/// The options of a command about an app, in both environments.
struct AppOptions: Connecting {
    @Option(help: "The bundle identifier (default: the only app).")
    var app: String?
    @OptionGroup var server: ServerOptions

    /// The bundle identifier of the app.
    func connect() async throws -> String { try await ScopeOptions.bundleID(app, try server.client()) }
}

/// The options of an operation that causes notifications.
struct SettlingOptions: Connecting {
    @Option(help: "How many seconds to wait at most, 0 to 60, until the notifications are delivered.")
    var settle: Int?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func connect() async throws -> AppClient { try await scope.connect(to: try server.client()) }
}

/// The options of an operation that causes notifications and can happen at a chosen time.
struct ActionOptions: Connecting {
    @Option(help: "The time, such as 2026-03-01, 2026-03-01T10:00:00Z, or milliseconds since 1970 (default: now).")
    var at: WrittenInstant?
    @OptionGroup var settling: SettlingOptions

    /// The time of the operation; nil for now.
    var time: Timestamp? { at?.instant }
    var server: ServerOptions { settling.server }
    var settle: Int? { settling.settle }

    func connect() async throws -> AppClient { try await settling.connect() }
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

/// The clock of a new customer on the command line: the name of a clock, or `new:` and the time at which a new clock
/// of the customer begins.
enum ClockOfNewCustomer: ExpressibleByArgument {
    case existing(String)
    case new(Timestamp)

    init?(argument: String) {
        guard argument.hasPrefix("new:") else {
            self = .existing(argument)
            return
        }
        guard let instant = TimeExpression.instant(String(argument.dropFirst(4))) else { return nil }
        self = .new(instant)
    }

    var name: String? { if case .existing(let name) = self { name } else { nil } }
    var start: Timestamp? { if case .new(let start) = self { start } else { nil } }
}

/// A date or a time on the command line.
struct WrittenInstant: ExpressibleByArgument {
    let instant: Timestamp

    init?(argument: String) {
        guard let instant = TimeExpression.instant(argument) else { return nil }
        self.instant = instant
    }
}
