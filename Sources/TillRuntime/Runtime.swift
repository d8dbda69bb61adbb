import Foundation
import Logging
import ServiceLifecycle
import TillCore
import TillServer
import TillShop
import TillSigning
import TillStorage
import UnixSignals

/// A complete server: an open store, its shop, and what listens and works for it. It is built from a configuration and
/// runs once.
package struct Runtime: Sendable {
    /// The settings it was built from.
    package let configuration: RuntimeConfiguration
    /// The shop, which needs no open port.
    package let shop: Shop
    /// The demo app's key; nil without the demo.
    package let demoKey: DemoKey?
    /// Nil without a TLS port and a proxy.
    package let secure: SecureListeners?
    /// The ports, as they open.
    package let ports: Ports
    let logger: Logger
    let figures = PrometheusFigures()
    let deliveryWorker: DeliveryWorker
    private let locked: LockedDirectory
    private let storage: any Storage
    private let cluster: ClusterService?

    /// The data directory, locked until the server has stopped.
    package var directory: DataDirectory { locked.directory }

    /// Locks the data directory, opens the store and sets up the shop; listens on no port.
    ///
    /// - Parameter beforeOpening: called when the directory is locked and nothing is open yet.
    /// - Throws: `RuntimeRefused`, `PortRefused`, `DirectoryRefused`, and refusals of the store. Nothing stays open.
    package init(
        _ configuration: RuntimeConfiguration,
        logger: Logger,
        beforeOpening: () throws -> Void = {}
    ) async throws {
        try configuration.check()
        let locked = try LockedDirectory(configuration)
        try beforeOpening()
        let directory = locked.directory
        let storage = try await StoreOpening.open(
            configuration.database,
            in: directory,
            isDurable: configuration.directory != nil
        )
        do {
            shop = try await Self.shop(configuration, storage, directory, logger)
            // The node joins first, because all work depends on its leases.
            cluster = ClusterService(shop)
            demoKey = configuration.isDemo ? try await Demo.setUp(shop, directory) : nil
            secure = try configuration.secure.map { try SecureListeners($0, directory) }
            deliveryWorker = try Self.deliveryWorker(shop)
        } catch {
            try? await storage.close()
            throw error
        }
        self.configuration = configuration
        self.logger = logger
        self.locked = locked
        self.storage = storage
        ports = Ports(Set(configuration.ports.map(\.listener)))
    }

    private static func shop(
        _ configuration: RuntimeConfiguration,
        _ storage: any Storage,
        _ directory: DataDirectory,
        _ logger: Logger
    ) async throws -> Shop {
        let certificates = CertificateStore(directory)
        let root = try await configuration.node.root(for: storage, directory)
        let ocspURL = OCSPAddress(configuration).url(port: configuration.productionPort)
        let shop = try await Shop(
            storage: storage,
            chain: try certificates.chain(under: root, ocspURL: ocspURL),
            receiptKeys: ReceiptKeyStore(directory).keys,
            cluster: try await configuration.node.join(storage, directory, logger),
            settings: configuration.shop,
            logger: logger,
            wallClock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
        )
        let chains = try certificates.chains { id, reason in
            logger.warning("cannot read a chain", metadata: ["chain": "\(id)", "cause": "\(reason.logText)"])
        }
        try shop.authority.open(root, chains: chains)
        return shop
    }

    private static func deliveryWorker(_ shop: Shop) throws -> DeliveryWorker {
        do {
            let webhookClient = try WebhookClient(
                timeout: .seconds(shop.settings.deliveryTimeout),
                extraRoots: shop.settings.deliveryRoots,
                userAgent: "Till/\(TillVersion.text)",
                destinations: shop.destinations
            )
            return DeliveryWorker(shop, webhookClient: webhookClient)
        } catch {
            throw RuntimeRefused.deliveryRoots(error)
        }
    }

    // MARK: Running

    /// Listens and works until a signal arrives or a service fails, then stops in order and closes the store.
    ///
    /// - Parameters:
    ///   - signals: the signals that stop the server.
    ///   - announce: called once every port is open. An error of it stops the server.
    /// - Throws: `PortRefused` for a port that cannot be opened, and the error of `announce`.
    package func run(
        stoppingOn signals: [UnixSignal] = [],
        announce: @escaping @Sendable (Ports) throws -> Void = { _ in }
    ) async throws {
        try await run(try await serviceGroup(stoppingOn: signals, announce: announce))
    }

    /// Listens and works in a task of its own, until the caller stops it.
    ///
    /// - Returns: once every port is open.
    /// - Throws: as ``run(stoppingOn:announce:)``. Then nothing is open.
    package func start() async throws -> RunningServer {
        let (opened, open) = AsyncStream<Void>.makeStream()
        let group = try await serviceGroup(stoppingOn: []) { _ in open.yield() }
        let task = Task {
            defer { open.finish() }
            try await run(group)
        }
        for await _ in opened { return RunningServer(runtime: self, group: group, task: task) }
        // The server has stopped, or the caller was cancelled.
        await group.triggerGracefulShutdown()
        try await task.value
        throw CancellationError()
    }

    private func run(_ group: ServiceGroup) async throws {
        do {
            try await group.run()
        } catch {
            try? await close()
            throw error
        }
        try await close()
    }

    private func close() async throws {
        defer { locked.release() }
        await shop.requestLog.flush()
        try await storage.close()
    }

    private func serviceGroup(
        stoppingOn signals: [UnixSignal],
        announce: @escaping @Sendable (Ports) throws -> Void
    ) async throws -> ServiceGroup {
        let announcer = Announcer(ports) { ports in
            OCSPAddress(configuration).check(certificates: shop.signingChain.ocspURL, ports, logger)
            try announce(ports)
        }
        let work: [any Service] =
            [cluster].compactMap(\.self) + [
                Ticker(shop, metrics: figures), Pruner(shop), deliveryWorker,
            ]
        let drain = Drain(shop: shop, time: configuration.drain, ports: ports)
        let listeners: [any Service]
        do {
            listeners = try self.listeners(announcer)
        } catch {
            try? await close()
            throw error
        }
        // Services stop in reverse order.
        var group = ServiceGroupConfiguration(
            services: (work + listeners + [announcer, drain]).map(Self.configuration),
            gracefulShutdownSignals: signals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.stopLimit
        return ServiceGroup(configuration: group)
    }

    /// An unavailable port or a failed announcement stops the server gracefully, without further errors in the log.
    private static func configuration(_ service: any Service) -> ServiceGroupConfiguration.ServiceConfiguration {
        let isStart = service is NamedListener || service is Announcer
        return ServiceGroupConfiguration.ServiceConfiguration(
            service: NamedService(service),
            failureTerminationBehavior: isStart ? .gracefullyShutdownGroup : .cancelGroup
        )
    }
}
