import Foundation
import Logging
import Synchronization
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// A complete `Shop` with its own data directory, one team, one app and one API key. Only the test moves its clock.
package final class TestShop: Sendable {
    /// The data directory, which is removed when the test releases the shop.
    package let directory: DataDirectory
    /// The URL of the PostgreSQL database; nil for SQLite.
    package let databaseURL: String?
    /// The running shop.
    package let shop: Shop
    /// The app whose products the shop sells.
    package let app: AppRecord
    /// An API key of the app's team.
    package let key: APIKeyPair
    /// The errors that the shop logs.
    package let log = TestLog()
    private let clock: TestClock

    /// The bundle id of the app.
    package static let bundleID = "com.example.shop"

    /// Opens a shop that sells some products.
    ///
    /// - Parameters:
    ///   - engine: the storage engine.
    ///   - level: the lowest level of the lines in `log`.
    ///   - now: the real time at the start, in milliseconds since 1970.
    package init(
        on engine: TestEngine = .sqlite,
        selling products: [Product] = [],
        settings: Settings = Settings(),
        loggingFrom level: Logger.Level = .error,
        now: Int64 = 1_767_225_600_000
    ) async throws {
        let folder = NSTemporaryDirectory() + "till-shop-\(UUID().uuidString)"
        directory = DataDirectory(folder)
        try directory.prepare()
        let clock = TestClock(now)
        self.clock = clock
        let certificates = CertificateStore(directory)
        let root = try certificates.root()
        let chain = try certificates.chain(under: root, ocspURL: "http://localhost:8888/ocsp")
        let (storage, url) = try engine.open(in: directory)
        databaseURL = url
        shop = try await Shop(
            storage: storage,
            chain: chain,
            settings: settings,
            logger: log.logger(from: level),
            wallClock: { clock.now }
        )
        try shop.keys.authority.open(root, chains: [chain])
        let team = Team(issuerID: UUID().uuidString.lowercased(), name: "Team", createdAt: clock.now)
        try await shop.registry.put(team)
        app = AppRecord(
            bundleID: Self.bundleID,
            appleID: 1_234_567_890,
            name: "Shop",
            issuerID: team.issuerID,
            createdAt: clock.now
        )
        try await shop.registry.put(app)
        let (record, secret) = try await shop.setup.makeKey(named: "test", issuerID: team.issuerID)
        key = try APIKeyPair(keyID: record.id, privateKeyPEM: secret)
        _ = try await shop.setup.updateCatalog(of: app.bundleID) { catalog in
            var catalog = catalog
            for product in products { catalog.put(product) }
            return catalog
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory.path) }

    /// The time on the simulated real-time clock.
    package var now: Timestamp { clock.now }

    /// Starts a delivery worker, which runs until `stopSending` is called.
    package func startSending() throws -> DeliveryWorker {
        let webhookClient = try WebhookClient(
            timeout: .seconds(shop.settings.deliveryTimeout),
            destinations: shop.destinations
        )
        return DeliveryWorker(shop, webhookClient: webhookClient)
    }

    /// Stops a delivery worker, and waits until it has ended.
    package func stopSending(_ deliveryWorker: DeliveryWorker) async {
        await deliveryWorker.stop()
    }

    /// Moves the simulated real-time clock forward by a number of milliseconds.
    package func advance(_ milliseconds: Int64) { clock.advance(milliseconds) }

    /// Advances a clock, and waits for the deliveries that are due on the way, for a minute at most.
    ///
    /// - Returns: the result of the advance, and the deliveries.
    @discardableResult
    package func advanceAndSettle(_ clock: ClockName, _ target: AdvanceTarget) async throws -> (
        report: AdvanceReport, deliveries: Settlement.Result
    ) {
        let settlement = Settlement(in: shop, within: .seconds(60))
        let report = try await settlement.collect { try await shop.advance(clock, target) }
        return (report, await settlement.result())
    }

    /// The `signedPayload` of a notification.
    package func signedPayload(_ entry: OutboxEntry) async throws -> String {
        guard let bytes = try await shop.signedPayload(entry) else { throw Deleted(uuid: entry.uuid) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The `signedPayload` of each notification.
    package func signedPayloads(_ entries: [OutboxEntry]) async throws -> [String] {
        try await shop.signed(entries).map { String(decoding: try shop.signedPayload($0), as: UTF8.self) }
    }

    /// The error for a notification that was deleted.
    private struct Deleted: Error { let uuid: String }

    /// The name of a customer of the app in an environment.
    package func customer(_ name: String, in environment: StoreEnvironment = .sandbox) -> CustomerName {
        CustomerName(AccountScope(environment: environment, app: app.bundleID), name)
    }

    /// Buys a product for a customer.
    @discardableResult
    package func buy(_ product: String, by name: String, quantity: Int = 1, in environment: StoreEnvironment = .sandbox)
        async throws
        -> Transaction
    {
        let backend = ShopBackend(self, in: environment)
        guard let row = try await backend.buy(product, by: name, quantity: quantity) else {
            preconditionFailure("the purchase left no transaction")
        }
        return row
    }

    /// The operations of `TestLanguage` in the sandbox.
    package var sandbox: ShopBackend { ShopBackend(self, in: .sandbox) }

    /// The operations of `TestLanguage` in production.
    package var production: ShopBackend { ShopBackend(self, in: .production) }

    /// A bearer token of the app's key, valid for five minutes of real time.
    ///
    /// - Parameter changes: The claims to set or, if the value is nil, to remove.
    package func token(_ changes: [String: JSONTree?] = [:], key: APIKeyPair? = nil) throws -> String {
        let seconds = clock.now.milliseconds / 1_000
        var claims: [String: JSONTree] = [
            "iss": .string(app.issuerID), "aud": .string(BearerToken.audience), "bid": .string(app.bundleID),
            "iat": .number(String(seconds)), "exp": .number(String(seconds + 300)),
        ]
        for (name, value) in changes { claims[name] = value }
        let members = claims.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value) }
        return try (key ?? self.key).sign(JSONTree.object(members).written())
    }
}

/// A clock that moves only when the test moves it.
private final class TestClock: Sendable {
    private let milliseconds: Mutex<Int64>

    init(_ start: Int64) { milliseconds = Mutex(start) }

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func advance(_ delta: Int64) { milliseconds.withLock { $0 += delta } }
}
