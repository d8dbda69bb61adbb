import Foundation
import Logging
import ServiceLifecycle
import TillCore
import TillServer
import TillShop
import TillSigning
import TillStorage
import UnixSignals

/// A complete server: an open store, its shop, the listeners, and the services that work in the background. It is
/// created from a configuration and runs once.
package struct Runtime: Sendable {
    /// The configuration that the server was created from.
    package let configuration: RuntimeConfiguration
    /// The shop. It can be used before any port is open.
    package let shop: Shop
    /// The API key of the demo app; nil without the demo.
    package let demoKey: DemoKey?
    /// TLS and the proxy; nil if both are off.
    package let secure: SecureListeners?
    /// The ports on which the server listens.
    package let ports: Ports
    let logger: Logger
    let figures = PrometheusFigures()
    let deliveryWorker: DeliveryWorker
    private let locked: LockedDirectory
    private let storage: any Storage
    private let cluster: ClusterService?
    /// Whether this start issued the first signing chain.
    private let isFirstChain: Bool

    /// The data directory. It is locked until the server has stopped.
    package var directory: DataDirectory { locked.directory }

    /// Locks the data directory, opens the store and sets up the shop. Does not open any port.
    ///
    /// - Parameter beforeOpening: called when the directory is locked, before the store is opened.
    /// - Throws: `RuntimeRefused`, `PortRefused`, `DirectoryRefused`, or a refusal of the store. Nothing is left open
    ///   then.
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
        isFirstChain = !CertificateStore(directory).hasChain
        do {
            shop = try await Self.shop(configuration, storage, directory, logger, figures)
            // The node joins first, because all other work needs its leases.
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
        _ logger: Logger,
        _ figures: PrometheusFigures
    ) async throws -> Shop {
        let certificates = CertificateStore(directory)
        let root = try await configuration.node.root(for: storage, directory)
        let ocspURL = OCSPAddress(configuration).url(port: configuration.productionPort)
        let shop = try await Shop(
            storage: storage,
            chain: try certificates.chain(under: root, ocspURL: ocspURL),
            receiptKeys: ReceiptKeyStore(directory).keys,
            cluster: try await configuration.node.join(storage, directory, logger, figures),
            settings: configuration.shop,
            logger: logger,
            metrics: figures,
            wallClock: configuration.wallClock
        )
        let chains = try certificates.chains { id, reason in
            logger.warning("cannot read a chain", metadata: ["chain": "\(id)", "cause": "\(reason.logText)"])
        }
        try shop.keys.authority.open(root, chains: chains)
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

    /// Listens and works until a signal arrives or a service fails. Then stops the services in order and closes the
    /// store.
    ///
    /// - Parameters:
    ///   - signals: the signals that stop the server.
    ///   - announce: called once every port is open. If it throws, the server stops.
    /// - Throws: `PortRefused` for a port that cannot be opened, or the error of `announce`.
    package func run(
        stoppingOn signals: [UnixSignal] = [],
        announce: @escaping @Sendable (Ports) throws -> Void = { _ in }
    ) async throws {
        let stop = StopSignals(signals, logger)
        let isStarted = Synchronized(false)
        let group = try await serviceGroup(stop) { ports in
            logger.notice("started", metadata: startMetadata(ports))
            isStarted.value = true
            try announce(ports)
        }
        do {
            try await run(group)
        } catch {
            if isStarted.value { logger.error("stopped by an error", metadata: ["cause": "\(error.logText)"]) }
            throw error
        }
        if isStarted.value { logger.notice("stopped", metadata: ["reason": "\(stop.reason)"]) }
    }

    private func startMetadata(_ ports: Ports) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "version": "\(TillVersion.text)", "engine": configuration.database == nil ? "sqlite" : "postgresql",
            "process": .stringConvertible(Int(ProcessInfo.processInfo.processIdentifier)),
        ]
        metadata["data"] = configuration.directory.map { "\($0.path)" }
        for listener in ListenerKind.allCases where ports[listener] > 0 {
            metadata[listener.rawValue] = .stringConvertible(ports[listener])
        }
        return metadata
    }

    /// Listens and works in its own task until the caller stops the server.
    ///
    /// - Returns: the server, once every port is open.
    /// - Throws: the errors of ``run(stoppingOn:announce:)``. Nothing is left open then.
    package func start() async throws -> RunningServer {
        let (opened, open) = AsyncStream<Void>.makeStream()
        let group = try await serviceGroup { _ in open.yield() }
        let task = Task {
            defer { open.finish() }
            try await run(group)
        }
        for await _ in opened { return RunningServer(runtime: self, group: group, task: task) }
        // No port was announced: the server has stopped, or the caller was cancelled.
        await group.triggerGracefulShutdown()
        try await task.value
        throw CancellationError()
    }

    /// Issues another chain if this start issued the first one before the system chose the production port.
    private func certifyOCSPAddress(_ ports: Ports) async throws {
        let ocsp = OCSPAddress(configuration)
        let address = ocsp.url(port: ports[.production])
        if isFirstChain, configuration.productionPort == 0, shop.signingChain.ocspURL != address {
            do {
                _ = try await shop.keys.rotate(in: CertificateStore(directory), ocspURL: address)
            } catch is ShopBusy {
                // Another node restores or imports. The check below reports the present address.
            }
        }
        ocsp.check(certificates: shop.signingChain.ocspURL, ports, logger)
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
        _ stop: StopSignals? = nil,
        announce: @escaping @Sendable (Ports) throws -> Void
    ) async throws -> ServiceGroup {
        let announcer = Announcer(ports: ports) { ports in
            try await certifyOCSPAddress(ports)
            try announce(ports)
        }
        let ticker = Ticker(shop, metrics: figures)
        let listeners: [NamedService]
        do {
            listeners = try self.listeners(announcer, ticker).map { NamedService("listener \($0.listener.flag)", $0) }
        } catch {
            try? await close()
            throw error
        }
        let work = [
            stop.map { NamedService("stop signals", $0) }, cluster.map { NamedService("cluster", $0) },
            NamedService("clocks", ticker), NamedService("pruning", Pruner(shop)),
            NamedService("deliveries", deliveryWorker),
        ].compactMap(\.self)
        let drain = Drain(shop: shop, time: configuration.drain, ports: ports)
        let end = [NamedService("announcement", announcer), NamedService("drain", drain)]
        // The services are in starting order. They stop in reverse order.
        var group = ServiceGroupConfiguration(
            services: (work + listeners + end).map(Self.configuration),
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.stopLimit
        return ServiceGroup(configuration: group)
    }

    /// If a port is unavailable or the announcement fails, the server stops gracefully, so that the log has no other
    /// errors.
    private static func configuration(_ named: NamedService) -> ServiceGroupConfiguration.ServiceConfiguration {
        let isStart = named.service is NamedListener || named.service is Announcer
        return ServiceGroupConfiguration.ServiceConfiguration(
            service: named,
            successTerminationBehavior: named.service is StopSignals ? .gracefullyShutdownGroup : .cancelGroup,
            failureTerminationBehavior: isStart ? .gracefullyShutdownGroup : .cancelGroup
        )
    }
}
