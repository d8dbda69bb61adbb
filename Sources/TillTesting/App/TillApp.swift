import Foundation

extension Till {
    /// An app of a test, with a catalog, an API key and a frozen clock of its own. Renewals take calendar months.
    public struct App: Sendable {
        /// The bundle id, which no other app has.
        public let bundleId: String
        /// The id of the app in the App Store.
        public let appAppleId: Int64
        /// The environment that the test uses.
        public let environment: StoreEnvironment
        /// The key for the App Store Server API.
        public let key: Key
        /// The server.
        public let server: Server

        /// The URL of the App Store Server API of the environment.
        public var url: String { server.url(of: environment) }
        /// The root certificate that verifiers of signed data must trust, in PEM.
        public var rootCertificate: String { server.rootCertificate }
        /// A client of the control API, for everything that has no function here.
        public var control: ControlClient { server.control }
        /// The app and its environment, as requests of the control API name them.
        public var scope: AppEnvironment { AppEnvironment(bundleId, environment) }
        /// The clock of the app.
        public var clock: Clock { Clock(app: self) }

        /// A customer of the app. The first purchase creates the customer.
        public func customer(_ name: String) -> Customer { Customer(name: name, app: self) }

        /// Sends the notifications of the app also to another endpoint, such as the backend under test.
        ///
        /// - Parameters:
        ///   - url: an http or https URL.
        ///   - name: the name of the endpoint. `primary` is the receiver `Till.endpoint`.
        public func notify(_ url: String, as name: String = "backend") async throws {
            _ = try await control.send(SetEndpoint(app: scope, endpoint: name, url: url))
        }

        /// Runs a function, and then restores the state that the app had before: purchases, notifications and the time
        /// of the clock. What `Till.endpoint` has received stays. The server repeats deliveries that are in progress,
        /// also those of other apps.
        public func withSnapshot<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
            let name = "test-\(UUID().uuidString)"
            _ = try await control.send(SaveSnapshot(name: name, bundleId: bundleId))
            let result: Result<Value, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            _ = try await control.send(RestoreSnapshot(name: name))
            _ = try await control.send(RemoveSnapshot(name: name))
            return try result.get()
        }
    }
}

extension Till.App {
    /// A key for the App Store Server API, as App Store Connect gives it to a developer.
    public struct Key: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The key id.
        public let keyId: String
        /// The issuer id.
        public let issuerId: String
        /// The private key: the content of a `.p8` file, in PEM.
        public let privateKey: String

        /// The ids, without the key.
        public var description: String { "key \(keyId) of issuer \(issuerId)" }
        /// The ids, without the key.
        public var debugDescription: String { description }
        /// The ids, without the key.
        public var customMirror: Mirror { Mirror(self, children: ["keyId": keyId, "issuerId": issuerId]) }
    }

    /// Creates an app with a random bundle id.
    static func create(
        on server: Till.Server,
        _ environment: StoreEnvironment,
        storeKitFile: [UInt8]
    ) async throws -> Till.App {
        let control = server.control
        let bundleId = "test.\(UUID().uuidString.lowercased())"
        // A server with several teams needs to know which one.
        let team = try await control.send(ListTeams()).first?.issuerId
        let info = try await control.send(CreateApp(bundleId: bundleId, name: "Test", issuerId: team))
        do {
            let scope = AppEnvironment(bundleId, environment)
            _ = try await control.upload(ImportStoreKitFile(bundleId: bundleId), storeKitFile)
            _ = try await control.send(SetClock(app: scope, mode: .frozen))
            _ = try await control.send(UpdateSettings(app: scope, rate: .custom(.calendar)))
            let key = try await control.send(CreateKey(name: bundleId, issuerId: info.issuerId))
            return Till.App(
                bundleId: bundleId,
                appAppleId: info.appAppleId,
                environment: environment,
                key: Key(keyId: key.keyId, issuerId: key.issuerId, privateKey: key.privateKey ?? ""),
                server: server
            )
        } catch {
            // The app is of no use without a catalog or a key.
            _ = try? await control.send(Reset(bundleId: bundleId, everything: true))
            throw error
        }
    }

    /// Deletes the app with its data, and revokes its key; not on a server that ends with the tests. A deletion makes
    /// the server repeat deliveries of other apps that are in progress.
    func delete() async throws {
        guard !server.isTemporary else { return }
        _ = try await control.send(Reset(bundleId: bundleId, everything: true))
        _ = try await control.send(RevokeKey(keyId: key.keyId))
    }
}
