import ArgumentParser
import CAllocator
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization
import TillConsole
import TillCore
import TillPostgres
import TillSQLite
import TillServer
import TillShop
import TillSigning
import TillStorage
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts the server.",
        discussion: """
            till serve --data ./till-data             uses this data directory, or creates it
            till serve --demo                         adds a demo app and customers
            till serve --ephemeral --demo             in memory only, deleted at the end
            till serve --profile apple                Apple's behavior, without Till's changes
            till serve --tls-port 443                 HTTPS under the App Store's own names

            The production environment, the sandbox environment and the control API each have a port. The control API
            listens on loopback; on any other address it requires the token in the data directory.
            """
    )

    @Option(help: "The data directory, with database, certificates and keys (default ./till-data).")
    var data: String?
    @Flag(help: "Stores everything in memory and deletes it when the server stops.")
    var ephemeral = false
    @Option(
        help: "postgres://…: a PostgreSQL database instead of SQLite. Prefer TILL_DATABASE: all users see flags."
    )
    var database: String?
    @Option(help: "The listen address of both environments (default 127.0.0.1).")
    var host: String?
    @Option(help: "The port of the production environment (default 8888; 0 lets the system choose).")
    var productionPort: Int?
    @Option(help: "The port of the sandbox environment (default 8889).")
    var sandboxPort: Int?
    @Option(help: "The listen address of the control API (default 127.0.0.1).")
    var controlAddress: String?
    @Option(help: "The port of the control API (default 8890).")
    var controlPort: Int?
    @Option(help: "An additional host name for the control API; may be repeated.")
    var controlHost: [String] = []
    @Option(help: "The OCSP URL in new certificates (default: /ocsp on the production port).")
    var ocspUrl: String?
    @Option(help: "till (default) or apple: apple turns off every difference from Apple's behavior.")
    var profile: String?
    @Option(help: "true (default) or false: look up orders in the sandbox too, where Apple has no such route.")
    var orderLookupInSandbox: Bool?
    @Option(help: "true (default) or false: a changed app account token moves the transaction to the history's end.")
    var tokenChangeMovesHistory: Bool?
    @Option(help: "Maximum number of requests in the request log (default 10000).")
    var journalLength: Int?
    @OptionGroup(title: "Under the App Store's own names") var secure: SecureOptions
    @OptionGroup(title: "Several servers on one database") var nodes: NodeOptions
    @OptionGroup(title: "Store behavior") var choices: ShopChoices
    @Option(help: "Seconds within which a request must arrive completely (default 60).")
    var requestTimeout: Int?
    @Option(help: "A JSON file with any of these settings.")
    var config: String?
    @Option(help: "A file that the server writes, with its ports, once it is ready.")
    var readyFile: String?
    @Option(help: "trace, debug, info, notice (default), warning or error.")
    var logLevel: String?
    @Flag(help: "Creates a demo app with customers and past purchases, unless it exists.")
    var demo = false
    @Flag(help: "Prints the ports and files as JSON once the server is ready.")
    var json = false

    func run() async throws {
        let source = try await SettingsSource(file: config)
        let named = try keepsNothing(source) ? nil : absolute(source.text(data, "data") ?? "./till-data")
        let logger = try Self.logger(source.text(logLevel, "logLevel"))
        let plan: StartPlan
        do {
            plan = try StartPlan(self, source)
        } catch {
            throw Store.refusal(error) ?? error
        }
        for warning in SettingsSource.unknownVariables { logger.warning("\(warning)") }
        do {
            // The lock comes first, so that a second process cannot change the files of the first.
            var lock = try named.flatMap { try DirectoryLock(ofExisting: DataDirectory($0)) }
            try plan.requirePorts()
            let passing = named == nil ? try EphemeralDirectory.make() : nil
            defer { passing?.remove() }
            guard let directory = passing?.directory ?? named.map({ DataDirectory($0) }) else { return }
            if lock == nil { lock = try DirectoryLock(directory) }
            till_settle_allocator()
            try directory.prepare()
            try clearReadyFile()
            try await serve(directory, plan, source, logger, isTransient: passing != nil)
            withExtendedLifetime(lock) {}
        } catch let error as SigningError {
            throw CommandRefused("\(error) Run till doctor --data \(named ?? "./till-data").")
        } catch {
            throw Store.refusal(error) ?? error
        }
    }

    private func serve(
        _ directory: DataDirectory,
        _ plan: StartPlan,
        _ source: SettingsSource,
        _ logger: Logger,
        isTransient: Bool
    ) async throws {
        let storage = try await Store.open(plan.database, in: directory, isDurable: !isTransient)
        let (host, ocsp) = (plan.host, plan.ocsp)
        let certificates = CertificateStore(directory)
        let root = try await nodes.root(for: storage, source, directory)
        let chain = try certificates.chain(under: root, ocspURL: ocsp.url(port: plan.productionPort))
        let receiptKeys = ReceiptKeyStore(directory).keys
        let shop = try await Shop(
            storage: storage,
            chain: chain,
            receiptKeys: receiptKeys,
            cluster: try await nodes.join(storage, source, directory, logger),
            settings: plan.shop,
            logger: logger,
            wallClock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
        )
        let chains = try certificates.chains { id, reason in
            logger.warning("cannot read a chain", metadata: ["chain": "\(id)", "cause": "\(reason.logText)"])
        }
        try shop.authority.open(root, chains: chains)
        // Joins first and stops last, because all work depends on the node's leases.
        let cluster = ClusterService(shop)
        let demoKey = plan.isDemo ? try await Demo.setUp(shop, directory) : nil

        let figures = PrometheusFigures()
        let meter = RequestMeter(factory: figures)
        let secure = try plan.secure.map { try SecureListeners($0, directory) }
        let ports = Ports(Set(Ports.Face.always + (secure?.faces ?? [])))
        let limits = ConnectionLimits(requestDeadline: plan.requestDeadline)
        var controlLimits = limits
        controlLimits.uploads = ControlAPI.uploads
        controlLimits.refusesAsControl = true
        let deliveryWorker = try Self.deliveryWorker(shop)
        let controlAddress = plan.controlAddress
        let facts = ServerFacts(
            version: TillVersion.text,
            dataDirectory: directory,
            productionPort: { ports[.production] },
            sandboxPort: { ports[.sandbox] },
            controlPort: { ports[.control] },
            ocspURL: ocsp.url(port: ports[.production]),
            security: secure?.facts(ports),
            makeStore: { try SQLiteStorage(path: $0) }
        )
        let control = ControlAPI(
            shop: shop,
            facts: facts,
            guardian: ControlGuard(
                token: try Self.token(for: controlAddress, directory, logger),
                hosts: Set(plan.controlHosts + [controlAddress])
            ),
            figures: figures,
            meter: meter,
            hasPages: true
        )
        let console = try Console(control)
        let announcement = Announcement(
            directory: directory,
            isTransient: isTransient,
            host: host,
            control: controlAddress,
            demoKey: demoKey,
            secure: secure,
            readyFile: readyFile,
            asJSON: json
        )
        let announcer = Announcer(announcement, ports) {
            ocsp.check(certificates: shop.signingChain.ocspURL, $0, logger)
        }
        let hosts = [Ports.Face.control: controlAddress, .tls: secure?.host ?? host, .proxy: secure?.host ?? host]
        let running: @Sendable (Ports.Face, Int) async -> Void = { face, port in
            // Before any client can learn the port.
            shop.ownPorts.add(host: hosts[face] ?? host, port: port)
            announcer.note(face, port)
            if ports.areOpen { shop.ownPorts.complete() }
        }
        func api(_ environment: StoreEnvironment) -> Router<APIContext> {
            AppleAPI(shop: shop, environment: environment, meter: meter).router()
        }
        // Services stop in reverse order: the proxy stops after the TLS port.
        let securely = try secure?.services(limits, logger, ports, router: api, running: running) ?? []
        let services: [any Service] =
            [cluster].compactMap(\.self) + [
                Ticker(shop, metrics: figures),
                Pruner(shop),
                deliveryWorker,
                NamedListener(
                    Listener(host: host, port: plan.productionPort, limits: limits)
                        .application(api(.production), logger: logger) { await running(.production, $0) },
                    flag: "--production-port",
                    port: plan.productionPort
                ),
                NamedListener(
                    Listener(host: host, port: plan.sandboxPort, limits: limits)
                        .application(api(.sandbox), logger: logger) { await running(.sandbox, $0) },
                    flag: "--sandbox-port",
                    port: plan.sandboxPort
                ),
                NamedListener(
                    // Advances and restores can take long.
                    Listener(host: controlAddress, port: plan.controlPort, limits: controlLimits, answersOnLoop: false)
                        .application(control.router(adding: console.add), logger: logger) {
                            await running(.control, $0)
                        },
                    flag: "--control-port",
                    port: plan.controlPort
                ),
            ]
        let drain = Drain(shop: shop, time: plan.drain, ports: ports)
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: (services + securely + [announcer, drain]).map(Self.configuration),
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        ).run()
        await shop.requestLog.flush()
        try await storage.close()
    }

    // MARK: Parts

    /// An unavailable port or a file that cannot be written stops the server gracefully, without further errors in the
    /// log.
    private static func configuration(_ service: any Service) -> ServiceGroupConfiguration.ServiceConfiguration {
        let isStart = service is NamedListener || service is Announcer
        return ServiceGroupConfiguration.ServiceConfiguration(
            service: NamedService(service),
            failureTerminationBehavior: isStart ? .gracefullyShutdownGroup : .cancelGroup
        )
    }

    /// Whether the data is in memory only.
    private func keepsNothing(_ source: SettingsSource) throws -> Bool {
        guard try source.choice(ephemeral ? true : nil, "ephemeral") == true else { return false }
        // TILL_DATA may be set for the other commands; the flag takes precedence.
        guard data == nil, ephemeral || source.text(nil, "data") == nil else {
            throw ValidationError(
                "--ephemeral stores no files, but --data (TILL_DATA) names a folder for them. Give only one of them."
            )
        }
        return true
    }

    /// Removes the file of an earlier server, so that a waiting script does not read old ports.
    private func clearReadyFile() throws {
        guard let readyFile else { return }
        let path = absolute(readyFile)
        unlink(path)
        let folder = (path as NSString).deletingLastPathComponent
        guard FileManager.default.isWritableFile(atPath: folder), !FileManager.default.fileExists(atPath: path) else {
            throw DirectoryRefused.cannotWrite(readyFile)
        }
    }

    private func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The settings of the profile, overridden by individual settings.
    func shopSettings(_ source: SettingsSource) throws -> Settings {
        var settings: Settings
        switch source.text(profile, "profile") {
        case nil, "till"?: settings = Settings()
        case "apple"?: settings = .apple
        case let other?: throw ValidationError("There is no profile \(other). Profiles: till, apple.")
        }
        if let said = try source.choice(orderLookupInSandbox, "orderLookupInSandbox") {
            settings.orderLookupInSandbox = said
        }
        if let said = try source.choice(tokenChangeMovesHistory, "tokenChangeMovesHistory") {
            settings.tokenChangeMovesHistory = said
        }
        let kept = settings.journalLength
        settings.journalLength = try source.number(journalLength, "journalLength", default: kept, in: 1...1_000_000)
        try choices.apply(to: &settings, source)
        return settings
    }

    private static func logger(_ level: String?) throws -> Logger {
        var logger = Logger(label: "till", factory: { BoundedLogHandler(StreamLogHandler.standardError(label: $0)) })
        logger.logLevel = .notice
        if let level {
            guard let chosen = Logger.Level(rawValue: level) else {
                throw ValidationError("There is no log level \(level). Use trace, debug, info, notice, warning, error.")
            }
            logger.logLevel = chosen
        }
        return logger
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
            throw CommandRefused("--delivery-root: \(error). Name PEM files with certificates.")
        }
    }

    private static let shortestSafeToken = 16

    /// No token is needed on loopback. On other addresses the first start creates one and keeps it.
    private static func token(for address: String, _ directory: DataDirectory, _ logger: Logger) throws -> String? {
        if ["127.0.0.1", "::1", "localhost"].contains(address) { return nil }
        if let token = TillVariable.text("CONTROL_TOKEN") {
            if token.utf8.count < shortestSafeToken {
                logger.warning(
                    "TILL_CONTROL_TOKEN has fewer than \(shortestSafeToken) characters: an attacker can guess it"
                )
            }
            return token
        }
        if let kept = try? DataDirectory.read(directory.controlToken).trimmingCharacters(in: .whitespacesAndNewlines),
            !kept.isEmpty
        {
            return kept
        }
        let token = (0..<2).map { _ in UUID().uuidString.lowercased() }.joined()
        try DataDirectory.write(token + "\n", to: directory.controlToken)
        return token
    }
}
