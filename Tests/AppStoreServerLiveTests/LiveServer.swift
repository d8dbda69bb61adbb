import Foundation
import Logging
import Synchronization
import TillControl
import TillRuntime
import TillShop
import TillTestSupport

@testable import AppStoreServer

/// A server in the process of the test, with an app and a key. It can stop and start again.
final class LiveServer: Sendable {
    static let app = AppEnvironment("com.example.live")
    /// Names of the two environments, whose ports change with each start.
    static let (production, sandbox) = ("http://production.till", "http://sandbox.till")

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let catalog = """
        {"groups": [{"groupId": "21", "name": "Pro"}], "products": [
         {"productId": "pro", "type": "AUTO_RENEWABLE", "price": "4.99",
          "subscription": {"groupId": "21", "level": 1, "period": "P1M"}},
         {"productId": "coins", "type": "CONSUMABLE", "price": "0.99"}]}
        """

    /// The key of the app's backend.
    let key: AppStoreKey
    private let folder: TemporaryFolder
    private let settings: Settings
    private let running: Mutex<RunningServer>
    private let sent = Mutex(0)
    private let received = Mutex([UInt8]())

    /// Starts a server in a new folder, with an app that sells a subscription and a consumable.
    ///
    /// - Parameter catalog: another catalog, as JSON of the control API.
    init(settings: Settings = Settings(), catalog: String = LiveServer.catalog) async throws {
        let folder = TemporaryFolder()
        let started = try await Self.start(in: folder, settings)
        do {
            let control = ControlClient(started.address(.control))
            _ = try await control.send(CreateApp(bundleId: Self.app.bundleId))
            let created = try await control.send(CreateKey(name: "backend"))
            _ = try await control.upload(PutCatalog(bundleId: Self.app.bundleId), Array(catalog.utf8))
            key = try AppStoreKey(pem: created.privateKey ?? "", keyID: created.keyId, issuerID: created.issuerId)
        } catch {
            try await started.stop()
            throw error
        }
        running = Mutex(started)
        (self.folder, self.settings) = (folder, settings)
    }

    /// Runs a test with a server, and stops the server.
    static func run(
        settings: Settings = Settings(),
        catalog: String = LiveServer.catalog,
        _ test: (LiveServer) async throws -> Void
    ) async throws {
        let server = try await LiveServer(settings: settings, catalog: catalog)
        do {
            try await test(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
    }

    private static func start(in folder: TemporaryFolder, _ settings: Settings) async throws -> RunningServer {
        var configuration = RuntimeConfiguration(directory: DataDirectory(folder.path + "/data"))
        (configuration.productionPort, configuration.sandboxPort, configuration.controlPort) = (0, 0, 0)
        configuration.shop = settings
        configuration.stopLimit = .seconds(1)
        return try await Runtime(configuration, logger: logger).start()
    }

    func stop() async throws { try await running.withLock { $0 }.stop() }

    /// Starts the server again after a stop, on other ports.
    func startAgain() async throws {
        let started = try await Self.start(in: folder, settings)
        running.withLock { $0 = started }
    }

    var runtime: Runtime { running.withLock { $0 }.runtime }
    var control: ControlClient { ControlClient(running.withLock { $0 }.address(.control)) }
    /// The requests of all clients so far.
    var requests: Int { sent.withLock { $0 } }

    /// The body of the last answer to a client.
    var lastBody: [UInt8] { received.withLock { $0 } }

    // MARK: Clients

    /// A client whose waits take no time, unless it gets another time.
    func client(
        _ environment: ServerEnvironment = .custom(LiveServer.sandbox),
        key: AppStoreKey? = nil,
        time: any ClientTime = QuickTime(),
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) -> AppStoreServerClient {
        AppStoreServerClient(
            key: key ?? self.key,
            bundleID: Self.app.bundleId,
            environment: environment,
            options: options(change),
            transport: Transport(server: self),
            time: time
        )
    }

    /// A client of verifyReceipt.
    func receiptClient(
        _ environment: ServerEnvironment,
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) -> VerifyReceiptClient {
        VerifyReceiptClient(
            environment: environment,
            options: options(change),
            transport: Transport(server: self),
            time: QuickTime()
        )
    }

    private func options(_ change: (inout ClientOptions) -> Void) -> ClientOptions {
        var options = ClientOptions()
        options.requestsPerSecond = nil
        change(&options)
        return options
    }

    /// Sends requests over HTTP to the ports on which the server listens now.
    private struct Transport: AppStoreTransport {
        let server: LiveServer

        func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
            let running = server.running.withLock { $0 }
            server.sent.withLock { $0 += 1 }
            let moved = TransportRequest(
                method: request.method,
                url: request.url.replacing(LiveServer.production, with: running.address(.production))
                    .replacing(LiveServer.sandbox, with: running.address(.sandbox)),
                headers: request.headers,
                body: request.body
            )
            let answer = try await HTTPClientTransport(client: .withoutRetries)
                .send(moved, timeout: timeout, maxBytes: maxBytes)
            server.received.withLock { $0 = answer.body }
            return answer
        }
    }

    // MARK: Faults

    /// Runs a part of a test under a fault rule, and removes the rule.
    ///
    /// - Returns: how many requests the rule affected.
    @discardableResult
    func under(_ fault: AddFault, _ test: () async throws -> Void) async throws -> Int {
        let rule = try await control.send(fault)
        try await test()
        let hits = try await hits(of: rule.id)
        _ = try await control.send(RemoveFaults(faultId: rule.id))
        return hits
    }

    /// How many requests a rule affected.
    func hits(of id: String) async throws -> Int {
        try await control.send(ListFaults()).first { $0.id == id }?.struck ?? 0
    }

    /// Sells a product, and returns the id of the transaction.
    func buy(_ product: String = "pro", by customer: String = "ann") async throws -> String {
        let bought = try await control.send(BuyProduct(app: Self.app, customer: customer, productId: product))
        return bought.transaction?.transactionId ?? ""
    }
}

/// The clocks of the system with a wall clock that may be wrong. Waits pass at once.
final class QuickTime: ClientTime {
    private let start = ContinuousClock.now
    private let waits = Mutex([Duration]())
    private let wallClockAhead: Duration

    init(wallClockAhead: Duration = .zero) { self.wallClockAhead = wallClockAhead }

    /// The waits of the client so far.
    var sleeps: [Duration] { waits.withLock { $0 } }

    var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) + wallClockAhead }
    var elapsed: Duration { ContinuousClock.now - start + sleeps.reduce(.zero, +) }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        waits.withLock { $0.append(duration) }
    }

    func random() -> Double { 0 }
}
