import Foundation

extension Till {
    /// Runs a function with an app of its own. The trait `.till(catalog:)` does this for each test; call it yourself in
    /// tests of other frameworks. On a server that does not end with the tests, the app is deleted afterwards.
    ///
    /// - Parameters:
    ///   - catalog: the path of a `.storekit` file.
    ///   - environment: the environment that the function uses.
    ///   - start: the time that the clock of the app shows at first, such as `2025-01-31T12:00:00Z`; by default the
    ///     present time.
    ///   - server: the server; by default the one that all tests of the process share.
    ///   - body: the function; in its task, `Till.app`, `Till.clock` and `Till.endpoint` have values.
    /// - Throws: `TillTestingError` if there is no server, or if the catalog cannot be read; `ControlFailure` if the
    ///   server refuses the catalog; the error of the function.
    public static func withApp<Value: Sendable>(
        catalog: String,
        environment: StoreEnvironment = .sandbox,
        start: String? = nil,
        on server: Server? = nil,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let server = if let server { server } else { try await Server.shared() }
        guard let document = FileManager.default.contents(atPath: catalog) else {
            throw TillTestingError("The catalog \(catalog) cannot be read. Give the path of a .storekit file.")
        }
        let time = try start.map { try Timestamp(testTime: $0) }
        let app: App
        do {
            app = try await App.create(on: server, environment, storeKitFile: Array(document), start: time)
        } catch {
            throw server.explained(error)
        }
        do {
            let value = try await withEndpoint(of: app) { endpoint in
                var received = app
                received.receiver = endpoint
                return try await $current.withValue((received, endpoint)) { try await body() }
            }
            try await app.delete()
            return value
        } catch {
            // The error of the test matters more than one of the deletion.
            try? await app.delete()
            throw server.explained(error)
        }
    }

    /// Runs a function with a receiver that is the primary endpoint of an app.
    private static func withEndpoint<Value: Sendable>(
        of app: App,
        _ body: (Endpoint) async throws -> Value
    ) async throws -> Value {
        let listener = try await NotificationListener.open()
        let endpoint = try Endpoint(url: listener.url, reader: NotificationReader(app)) {
            await app.faults(hitting: $0)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listener.serve { await endpoint.answer(to: $0) } }
            defer { group.cancelAll() }
            _ = try await app.control.send(SetEndpoint(app: app.scope, endpoint: "primary", url: listener.url))
            return try await body(endpoint)
        }
    }
}
