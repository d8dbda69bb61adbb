import ArgumentParser
import CAllocator
import Foundation
import Logging
import NIOCore
import TillCore
import TillRuntime
import TillShop
import TillSigning
import UnixSignals

struct Serve: DocumentedCommand {
    static let summary = "Starts the server."
    static let examples = """
        # adds the demo app with customers
        till serve --demo
        # keeps all data in memory, and deletes it at the end
        till serve --demo --ephemeral
        # behaves like Apple, without Till's changes
        till serve --data ./till-data --profile apple
        # for a store that sells for real
        till serve --data ./till-data --profile operator
        # HTTPS under the App Store's own names
        till serve --tls-port 443
        """
    static let notes = """
        The production environment, the sandbox environment and the control API each have a port. The control API \
        listens on loopback. On any other address it requires the token in the data directory.

        Every setting is also an environment variable (TILL_CONTROL_PORT for --control-port) and a key of the \
        configuration file (controlPort).
        """

    @OptionGroup(title: "Most used") var start: StartOptions
    @OptionGroup(title: "Addresses and limits") var addresses: AddressOptions
    @OptionGroup(title: "Under the App Store's own names") var secure: SecureOptions
    @OptionGroup(title: "Several servers on one database") var nodes: NodeOptions
    @OptionGroup(title: "Store behavior") var choices: ShopChoices

    func run() async throws {
        // Before the first log line: a closed pipe must not end the server.
        signal(SIGPIPE, SIG_IGN)
        let source = try await source()
        let directory = try keepsNothing(source) ? nil : (source.text("data") ?? "./till-data").absolutePath
        let logger = try Self.logger(source)
        defer { LogWriter.standardError.flush() }
        Self.ignoreHangup()
        do {
            let configuration = try Self.configuration(source, directory: directory.map { DataDirectory($0) })
            for warning in SettingsSource.unknownVariables { logger.warning("\(warning)") }
            till_settle_allocator()
            let runtime = try await Runtime(configuration, logger: logger, beforeOpening: clearReadyFile)
            let announcement = Announcement(
                runtime: runtime,
                readyFile: start.readyFile,
                form: start.json ? .json : source.text("logFormat") == "json" ? .nothing : .text
            )
            try await runtime.run(stoppingOn: [.sigterm, .sigint]) { ports in
                try announcement.make(ports)
                Task {
                    // Not at once: the first requests of a client that waited for the server come first.
                    try await Task.sleep(for: .milliseconds(500))
                    till_give_back_code()
                }
            }
        } catch let error as SigningError {
            throw CommandRefused("\(error) Run till doctor --data \(directory ?? "./till-data").")
        } catch {
            throw CommandRefused.refusal(error) ?? error
        }
    }

    /// The settings from flags, environment variables and the configuration file.
    func source(_ environment: [String: String] = TillVariable.environment) async throws -> SettingsSource {
        let groups: [any ParsableArguments] = [start, addresses, secure, nodes, choices]
        return try await SettingsSource(groups, file: start.config, environment: environment)
    }

    /// The configuration of a server. All values are checked here, before the server creates anything.
    static func configuration(_ source: SettingsSource, directory: DataDirectory?) throws -> RuntimeConfiguration {
        var server = RuntimeConfiguration(directory: directory)
        server.shop = try Settings(source)
        server.database = source.text("database")
        server.isDemo = try source.choice("demo") == true
        server.host = source.text("host") ?? server.host
        let ports: [(String, WritableKeyPath<RuntimeConfiguration, Int>)] = [
            ("productionPort", \.productionPort), ("sandboxPort", \.sandboxPort), ("controlPort", \.controlPort),
        ]
        for (key, path) in ports { server[keyPath: path] = try source.port(key) ?? server[keyPath: path] }
        server.controlAddress = source.text("controlAddress") ?? server.controlAddress
        server.controlHosts = source.texts("controlHost")
        server.controlToken = source.controlToken
        server.ocspURL = source.text("ocspUrl")
        let (tlsPort, proxyPort) = (try source.port("tlsPort"), try source.port("proxyPort"))
        if tlsPort != nil || proxyPort != nil {
            server.secure = try SecureConfiguration(
                host: source.text("tlsHost") ?? server.host,
                port: tlsPort ?? 0,
                proxyPort: proxyPort,
                names: source.texts("tlsName")
            )
        }
        server.requestDeadline = .seconds(Int64(try source.number("requestTimeout", in: 1...3_600) ?? 60))
        server.drain = .seconds(try source.number("drain", in: 0...300) ?? 0)
        server.node.name = source.text("nodeName")
        server.node.lease = .seconds(try source.number("lease", in: 2...600) ?? 10)
        server.node.adoptsRoot = try source.choice("adoptRoot") == true
        try server.check()
        return server
    }

    /// Whether the server keeps all data in memory.
    private func keepsNothing(_ source: SettingsSource) throws -> Bool {
        guard try source.choice("ephemeral") == true else { return false }
        // With the flag --ephemeral, TILL_DATA is allowed, because it may be set for other commands.
        guard start.data == nil, start.ephemeral || source.text("data") == nil else {
            throw ValidationError(
                "--ephemeral stores no files, but --data (TILL_DATA) names a folder for them. Give only one of them."
            )
        }
        return true
    }

    /// Removes the ready file of an earlier server, so that a waiting script does not read its ports.
    private func clearReadyFile() throws {
        guard let readyFile = start.readyFile else { return }
        let path = readyFile.absolutePath
        unlink(path)
        let folder = (path as NSString).deletingLastPathComponent
        guard FileManager.default.isWritableFile(atPath: folder), !FileManager.default.fileExists(atPath: path) else {
            throw DirectoryRefused.cannotWrite(readyFile)
        }
    }

    /// Ignores SIGHUP, which programs that rotate logs send. On a terminal, the signal ends the server as usual when
    /// the terminal is closed.
    private static func ignoreHangup() {
        guard [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].allSatisfy({ isatty($0) == 0 }) else { return }
        signal(SIGHUP, SIG_IGN)
    }

    /// The logger of a server, which writes to standard error.
    ///
    /// - Parameter level: the level if the settings name none.
    static func logger(_ source: SettingsSource, level: Logger.Level = .notice) throws -> Logger {
        let makeHandler: @Sendable (@escaping @Sendable ([UInt8]) -> Void) -> BoundedLogHandler
        switch source.text("logFormat") {
        case nil, "text"?:
            makeHandler = {
                BoundedLogHandler(StreamLogHandler(label: "till", stream: LogLines($0), metadataProvider: .traces))
            }
        case "json"?:
            makeHandler = {
                BoundedLogHandler(
                    JSONLogHandler(label: "till", metadataProvider: .traces, write: $0),
                    isText: false
                )
            }
        case let other?:
            throw ValidationError("There is no log format \(other.prefix(64)). Use text or json.")
        }
        LogWriter.standardError.describeLost { count in
            let line = Synchronized<[UInt8]>([])
            let logger = Logger(label: "till", factory: { _ in makeHandler { line.value = $0 } })
            logger.warning("log lines were lost", metadata: ["count": .stringConvertible(count)])
            return line.value
        }
        var logger = Logger(label: "till", factory: { _ in makeHandler(LogWriter.standardError.write) })
        logger.logLevel = level
        if let level = source.text("logLevel") {
            guard let chosen = Logger.Level(rawValue: level) else {
                throw ValidationError("There is no log level \(level). Use trace, debug, info, notice, warning, error.")
            }
            logger.logLevel = chosen
        }
        return logger
    }
}

extension Settings {
    /// The settings of the profile, changed by the individual settings.
    fileprivate init(_ source: SettingsSource) throws {
        switch source.text("profile") {
        case nil, "till"?: self.init()
        case "apple"?: self = .apple
        case "operator"?: self = .operator
        case let other?: throw ValidationError("There is no profile \(other). Profiles: till, apple, operator.")
        }
        if let name = source.text("sandboxRate") {
            guard let rate = RenewalRate(rawValue: name) else {
                let known = RenewalRate.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no rate \(name). Rates: \(known).")
            }
            sandboxRate = rate
        }
        let choices: [(String, WritableKeyPath<Settings, Bool>)] = [
            ("orderLookupInSandbox", \.orderLookupInSandbox), ("tokenChangeMovesHistory", \.tokenChangeMovesHistory),
            ("auditReads", \.auditReads), ("retriesInSandbox", \.retriesInSandbox),
            ("keepsAnchorDay", \.keepsAnchorDay), ("keepsGraceDate", \.keepsGraceDate),
            ("commitmentsEverywhere", \.commitmentsEverywhere), ("extendsFirstPeriod", \.extendsFirstPeriod),
            ("extraFamilyNotifications", \.extraFamilyNotifications), ("versionOneInSandbox", \.versionOneInSandbox),
            ("allowReset", \.allowReset), ("requestLogBodies", \.requestLogBodies),
            ("historyListsAll", \.historyListsAll),
        ]
        for (key, path) in choices { self[keyPath: path] = try source.choice(key) ?? self[keyPath: path] }
        let numbers: [(String, WritableKeyPath<Settings, Int>, ClosedRange<Int>)] = [
            ("requestLogLength", \.requestLogLength, 1...1_000_000),
            ("sandboxRenewalCap", \.sandboxRenewalCap, 0...1_000_000),
            ("refundWindowMinutes", \.refundWindowMinutes, 0...525_600),
            ("historyExtraDays", \.historyExtraDays, 0...365), ("auditDays", \.auditDays, 0...36_500),
            ("signatureAge", \.signatureAge, 0...31_536_000), ("deliveryTimeout", \.deliveryTimeout, 1...300),
        ]
        for (key, path, range) in numbers {
            self[keyPath: path] = try source.number(key, in: range) ?? self[keyPath: path]
        }
        accessLog = try source.choice("accessLog")
        notificationDays = try source.number("notificationDays", in: 0...36_500)
        deliveryRoots = source.texts("deliveryRoot")
        try setChecked(source)
    }

    /// The settings whose values have a form or a condition of their own.
    private mutating func setChecked(_ source: SettingsSource) throws {
        if let address = source.text("documentationUrl") { documentation = try Self.checked(address) }
        // Whoever tries Till also wants to see what succeeds.
        requestLogAll = try source.choice("requestLogAll") ?? (source.choice("demo") == true)
        storefrontsAskingConsent = source.texts("storefrontAskingConsent")
        for code in storefrontsAskingConsent where Storefront(code: code) == nil {
            throw ValidationError("\(code) is not a storefront. Give three capital letters such as KOR.")
        }
        let networks = source.texts("endpointNetworks")
        guard let allowed = EndpointNetworks(networks) else {
            throw CommandRefused(
                "endpointNetworks is \(networks.joined(separator: ", ").prefix(256)). Give "
                    + "\(EndpointNetworks.standardName) or \(EndpointNetworks.publicHTTPSName), and networks such as "
                    + "10.0.0.0/8 or fd00::/8, without address bits beyond the prefix length."
            )
        }
        endpointNetworks = allowed
        guard let said = try source.choice("productionGuard") else { return }
        guard said || allowReset else {
            throw CommandRefused(
                "productionGuard is false, but a server with allowReset false always guards production. Leave "
                    + "productionGuard out, or set allowReset to true."
            )
        }
        productionGuard = said
    }

    /// The address of a documentation site, without a slash at the end.
    private static func checked(_ address: String) throws -> String {
        let isURL = ["http://", "https://"].contains { address.hasPrefix($0) && address.utf8.count > $0.utf8.count }
        guard isURL, address.utf8.allSatisfy({ (0x21...0x7e).contains($0) && ![0x22, 0x27, 0x3c, 0x3e].contains($0) })
        else {
            throw ValidationError(
                "documentationUrl is \(address.prefix(256)). Give an address that begins with http:// or https://."
            )
        }
        return address.hasSuffix("/") ? String(address.dropLast()) : address
    }
}
