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

        /// The address of the App Store Server API of the environment.
        public var address: String { server.address(of: environment) }
        /// The root certificate that verifiers of signed data must trust, in PEM.
        public var rootCertificate: String { server.rootCertificate }
        /// A client of the control API, for everything that has no function here.
        public var control: ControlClient { server.control }
        /// The app and its environment, as requests of the control API name them.
        public var scope: AppEnvironment { AppEnvironment(bundleId, environment) }
        /// The name of the customer clock of the app; nil for the environment's clock.
        let clockName: String?
        /// The receiver `Till.endpoint`; nil before it is open.
        var receiver: Endpoint?
        /// The clock of the app.
        public var clock: Clock { Clock(app: self) }

        /// A customer of the app. The first purchase creates the customer.
        public func customer(_ name: String) -> Customer { Customer(name: name, app: self) }

        /// Sends the notifications of the app also to another endpoint, such as the backend under test. It becomes the
        /// endpoint `primary`, which Apple's notification history is about. The receiver `Till.endpoint`, which has
        /// this name so far, becomes the endpoint `test`.
        ///
        /// - Parameters:
        ///   - url: an http or https URL.
        ///   - name: another name of the endpoint; then the receiver keeps its name.
        public func sendNotifications(to url: String, name: String = "primary") async throws {
            if name == "primary", let receiver {
                _ = try await control.send(SetEndpoint(app: scope, endpoint: "test", url: receiver.url))
            }
            _ = try await control.send(SetEndpoint(app: scope, endpoint: name, url: url))
        }

        /// Adds a fault rule for this app and environment: lost, late or repeated notifications, or errors of the App
        /// Store Server API.
        ///
        /// - Parameters:
        ///   - kind: the kind of fault.
        ///   - route: for notifications, a type such as `DID_RENEW`; for calls, a route such as `getTransactionInfo`.
        ///   - limit: how many notifications or calls the fault hits at most.
        ///   - configure: sets other keys of the rule.
        @discardableResult
        public func addFault(
            _ kind: FaultKind,
            route: String? = nil,
            limit: Int? = nil,
            _ configure: (inout AddFault) -> Void = { _ in }
        ) async throws -> FaultRuleInfo {
            var fault = AddFault(
                kind: kind,
                environment: environment,
                bundleId: bundleId,
                route: route,
                limit: limit
            )
            configure(&fault)
            return try await control.send(fault)
        }

        /// Runs a function, and then restores the state that the app had before: purchases, notifications and the time
        /// of the clock. `Till.endpoint` forgets what has arrived. The server repeats deliveries of the app that are
        /// in progress.
        public func withSnapshot<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
            let name = "test-\(UUID().uuidString)"
            server.cleanup?.remember(name, ["/v1/snapshots/\(name)"])
            _ = try await control.send(SaveSnapshot(name: name, bundleId: bundleId))
            let result: Result<Value, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            _ = try await control.send(RestoreSnapshot(name: name))
            receiver?.clear()
            _ = try await control.send(RemoveSnapshot(name: name))
            server.cleanup?.forget(name)
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
        storeKitFile: [UInt8],
        start: Timestamp?
    ) async throws -> Till.App {
        let control = server.control
        let bundleId = "test.\(UUID().uuidString.lowercased())"
        let clockName = start.map { _ in "tests" }
        // Before the app exists, because this process may be killed at any time.
        server.cleanup?.remember(bundleId, ["/v1/state?bundleId=\(bundleId)&everything=true"])
        // A server with several teams needs to know which one.
        let team = try await control.send(ListTeams()).first?.issuerId
        let info = try await control.send(CreateApp(bundleId: bundleId, name: "Test", issuerId: team))
        do {
            let scope = AppEnvironment(bundleId, environment)
            _ = try await control.upload(ImportStoreKitFile(bundleId: bundleId), storeKitFile)
            if let start, let clockName {
                // The environment's clock cannot go back; a clock of customers can begin at any time.
                _ = try await control.send(CreateClock(app: scope, name: clockName, mode: .frozen, at: start))
            } else {
                // A whole second, as in most tests and in many backends.
                let now = try await control.send(SetClock(app: scope, mode: .frozen)).now
                let second = Timestamp(milliseconds: (now.milliseconds + 999) / 1_000 * 1_000)
                _ = try await control.send(SetClock(app: scope, mode: .frozen, at: second))
            }
            _ = try await control.send(UpdateSettings(app: scope, rate: .custom(.calendar)))
            // The key is deleted with the app.
            let key = try await control.send(CreateKey(name: bundleId, issuerId: info.issuerId, bundleId: bundleId))
            return Till.App(
                bundleId: bundleId,
                appAppleId: info.appAppleId,
                environment: environment,
                key: Key(keyId: key.keyId, issuerId: key.issuerId, privateKey: key.privateKey ?? ""),
                server: server,
                clockName: clockName
            )
        } catch {
            // The app is of no use without a catalog or a key.
            if (try? await control.send(Reset(bundleId: bundleId, everything: true))) != nil {
                server.cleanup?.forget(bundleId)
            }
            throw error
        }
    }

    /// The faults that hit notifications of a type, such as one that dropped it, most recent first.
    func faults(hitting type: NotificationType) async -> [String] {
        let request = ListRequests(bundleId: bundleId, path: type.rawValue, limit: 20)
        let entries = (try? await control.send(request).entries) ?? []
        return entries.filter { $0.path == type.rawValue && $0.explanation.hasPrefix("Fault ") }
            .prefix(5).map(\.explanation)
    }

    /// Deletes the app with its data and its key; not on a server that ends with the tests.
    func delete() async throws {
        guard let cleanup = server.cleanup else { return }
        _ = try await control.send(Reset(bundleId: bundleId, everything: true))
        cleanup.forget(bundleId)
    }
}
