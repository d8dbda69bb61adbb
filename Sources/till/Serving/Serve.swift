import ArgumentParser
import CAllocator
import Foundation
import Logging
import NIOCore
import TillRuntime
import TillShop
import TillSigning
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "Starts the server.",
        name: "serve",
        examples: """
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
            """,
        notes: """
            The production environment, the sandbox environment and the control API each have a port. The control API \
            listens on loopback. On any other address it requires the token in the data directory.

            Every setting is also an environment variable (TILL_CONTROL_PORT for --control-port) and a key of the \
            configuration file (controlPort).
            """
    )

    @OptionGroup(title: "Most used") var start: StartOptions
    @OptionGroup(title: "Addresses and limits") var addresses: AddressOptions
    @OptionGroup(title: "Under the App Store's own names") var secure: SecureOptions
    @OptionGroup(title: "Several servers on one database") var nodes: NodeOptions
    @OptionGroup(title: "Store behavior") var choices: ShopChoices

    func run() async throws {
        let source = try await SettingsSource(file: start.config)
        let directory = try keepsNothing(source) ? nil : absolute(source.text(start.data, "data") ?? "./till-data")
        let logger = try Self.logger(source.text(start.logLevel, "logLevel"))
        do {
            let configuration = try configuration(source, directory: directory.map { DataDirectory($0) })
            for warning in SettingsSource.unknownVariables { logger.warning("\(warning)") }
            till_settle_allocator()
            let runtime = try await Runtime(configuration, logger: logger, beforeOpening: clearReadyFile)
            let announcement = Announcement(runtime, readyFile: start.readyFile, asJSON: start.json)
            try await runtime.run(stoppingOn: [.sigterm, .sigint], announce: announcement.make)
        } catch let error as SigningError {
            throw CommandRefused("\(error) Run till doctor --data \(directory ?? "./till-data").")
        } catch {
            throw CommandRefused.refusal(error) ?? error
        }
    }

    /// The configuration from flags, environment variables and the configuration file. All values are checked here,
    /// before the server creates anything.
    func configuration(_ source: SettingsSource, directory: DataDirectory?) throws -> RuntimeConfiguration {
        var server = RuntimeConfiguration(directory: directory)
        server.shop = try shopSettings(source)
        server.database = source.text(nodes.database, "database")
        server.isDemo = try source.choice(start.demo ? true : nil, "demo") == true
        server.host = source.text(addresses.host, "host") ?? server.host
        let ports = 0...65_535
        server.productionPort = try source.number(
            start.productionPort,
            "productionPort",
            default: server.productionPort,
            in: ports
        )
        server.sandboxPort = try source.number(start.sandboxPort, "sandboxPort", default: server.sandboxPort, in: ports)
        server.controlAddress = source.text(addresses.controlAddress, "controlAddress") ?? server.controlAddress
        server.controlPort = try source.number(start.controlPort, "controlPort", default: server.controlPort, in: ports)
        server.controlHosts = source.texts(addresses.controlHost, "controlHost")
        server.controlToken = source.controlToken
        server.ocspURL = source.text(addresses.ocspUrl, "ocspUrl")
        server.secure = try secure.configuration(source, host: server.host)
        server.requestDeadline = .seconds(
            Int64(try source.number(addresses.requestTimeout, "requestTimeout", default: 60, in: 1...3_600))
        )
        server.drain = try nodes.drainTime(source)
        server.node = try nodes.configuration(source)
        try server.check()
        return server
    }

    /// Whether the server keeps all data in memory.
    private func keepsNothing(_ source: SettingsSource) throws -> Bool {
        guard try source.choice(start.ephemeral ? true : nil, "ephemeral") == true else { return false }
        // With the flag --ephemeral, TILL_DATA is allowed, because it may be set for other commands.
        guard start.data == nil, start.ephemeral || source.text(nil, "data") == nil else {
            throw ValidationError(
                "--ephemeral stores no files, but --data (TILL_DATA) names a folder for them. Give only one of them."
            )
        }
        return true
    }

    /// Removes the ready file of an earlier server, so that a waiting script does not read its ports.
    private func clearReadyFile() throws {
        guard let readyFile = start.readyFile else { return }
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

    /// The settings of the profile, changed by the individual settings.
    func shopSettings(_ source: SettingsSource) throws -> Settings {
        var settings: Settings
        switch source.text(start.profile, "profile") {
        case nil, "till"?: settings = Settings()
        case "apple"?: settings = .apple
        case "operator"?: settings = .operator
        case let other?: throw ValidationError("There is no profile \(other). Profiles: till, apple, operator.")
        }
        if let said = try source.choice(choices.orderLookupInSandbox, "orderLookupInSandbox") {
            settings.orderLookupInSandbox = said
        }
        if let said = try source.choice(choices.tokenChangeMovesHistory, "tokenChangeMovesHistory") {
            settings.tokenChangeMovesHistory = said
        }
        let kept = settings.requestLogLength
        settings.requestLogLength = try source.number(
            choices.requestLogLength,
            "requestLogLength",
            default: kept,
            in: 1...1_000_000
        )
        try choices.apply(to: &settings, source)
        return settings
    }

    static func logger(_ level: String?) throws -> Logger {
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
}
