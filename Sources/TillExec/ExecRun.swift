#if os(Linux)
import CNamespace
import Foundation
import Logging
import TillShop
import TillStorage

/// Runs one command with Till as its App Store.
package struct ExecRun {
    let shop: ExecShop
    let command: [String]
    private let environment: [String: String]
    let folder: String
    private let way: ExecWay?
    let keptPorts: [Int]

    /// - Parameters:
    ///   - command: the program and its arguments.
    ///   - environment: the command's environment variables, without those that name a server.
    ///   - folder: a folder for files that all users can read.
    ///   - way: how to redirect the command; nil for the first available way.
    ///   - keptPorts: the machine's localhost ports that the command can still reach.
    package init(
        _ shop: ExecShop,
        command: [String],
        environment: [String: String],
        folder: String,
        way: ExecWay?,
        keptPorts: [Int]
    ) {
        self.shop = shop
        self.command = command
        self.environment = environment
        self.folder = folder
        self.way = way
        self.keptPorts = keptPorts
    }

    /// Runs the command until it ends.
    ///
    /// - Returns: the exit code of the command.
    package func run() async throws -> Int32 {
        var environment = environment
        environment.merge(shop.environment) { $1 }
        try trust(&environment)
        var logger = Logger(label: "till", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .notice
        let finder = WayFinder(exec: self, environment: environment, logger: logger)
        var open = try await firstOpen(finder)
        Self.say(open.words)
        let doors = open.doors
        let beside = Task {
            await withTaskGroup(of: Void.self) { group in
                for door in doors { group.addTask { try? await door() } }
            }
        }
        let code: Int32
        do {
            let program = try open.program.release()
            till_forward_signals(program.process)
            code = await program.end()
            till_forward_signals(0)
        } catch {
            code = error.error == ENOENT ? 127 : 126
            Self.say("\(command[0]): \(String(cString: strerror(error.error)))")
        }
        beside.cancel()
        await open.helper?.stop()
        await beside.value
        return code
    }

    /// Prepares the way given with `--way`, or the first available way. For each way that is not available, standard
    /// error has the reason.
    private func firstOpen(_ finder: WayFinder) async throws -> OpenWay {
        if let way {
            do {
                return try await finder.opened(way)
            } catch {
                throw ExecRefused("The way \(way.rawValue) is not available: \(error.logText).")
            }
        }
        let ways: [ExecWay] = geteuid() == 0 ? [.mount, .network] : [.network]
        for way in ways {
            do {
                return try await finder.opened(way)
            } catch {
                Self.say("The way \(way.rawValue) is not available: \(error.logText).")
            }
        }
        return try await finder.opened(.proxy)
    }

    /// Writes the certificate bundles, and sets the environment variables through which clients find them.
    private func trust(_ environment: inout [String: String]) throws {
        let said = environment["SSL_CERT_FILE"].flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
        let files = ["tls-root.pem", "bundle.pem", "system-bundle.pem"].map { "\(folder)/\($0)" }
        try ExecShop.write(Data(shop.tlsRoot.utf8), to: files[0])
        try ExecShop.write(Data(TrustBundle.text(with: shop.tlsRoot, behind: said).utf8), to: files[1])
        try ExecShop.write(Data(TrustBundle.text(with: shop.tlsRoot).utf8), to: files[2])
        for name in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"] { environment[name] = files[1] }
        environment["NODE_EXTRA_CA_CERTS"] = files[0]
        environment["TILL_TLS_ROOT"] = files[0]
        let store = "\(folder)/truststore.jks"
        try ExecShop.write(Data(JavaTrust.store(with: shop.tlsRoot, environment: environment)), to: store)
        JavaOptions.add(JavaTrust.option(store), unless: "-Djavax.net.ssl.trustStore=", to: &environment)
    }

    /// Writes a message to standard error.
    package static func say(_ line: String) {
        FileHandle.standardError.write(Data("till: \(line)\n".utf8))
    }
}
#endif
