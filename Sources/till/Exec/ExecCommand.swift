import ArgumentParser
import CNamespace
import Foundation
import Logging
import TillShop
import TillStorage

struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Runs a program that takes Till for the App Store, unchanged.",
        discussion: """
            till exec --demo -- python3 backend.py
            till exec --import Shop.storekit --app com.example.app -- pytest
            till exec --join -- ./backend                     a server that runs with --tls-port
            till exec --way proxy --demo -- curl https://api.storekit.apple.com/

            A throw-away Till is started, and the six names of the App Store lead to it, for this program and those it
            starts. As root this is a mount namespace; for others a network namespace, if slirp4netns is there and the
            kernel allows it; else HTTPS_PROXY and the variables for authorities. Which it was, and what it cannot
            reach, is said on standard error. Linux only, but for --way proxy.

            The program finds TILL_CONTROL, TILL_APP, TILL_APP_APPLE_ID, TILL_KEY (a file), TILL_KEY_ID,
            TILL_ISSUER_ID, TILL_ROOT_PEM, TILL_ROOT_DER, TILL_TLS_ROOT, TILL_PRODUCTION and TILL_SANDBOX set.
            JVMs trust Till by JAVA_TOOL_OPTIONS.

            Exit codes: the program's; 128 and the signal that ended it; 127 not found, 126 not executable,
            125 till exec itself failed.
            """
    )

    @Option(name: .customLong("import"), help: "A .storekit file that the throw-away Till sells.")
    var file: String?
    @Option(help: "The bundle identifier (default TILL_APP; of an import com.example.app; else the only app).")
    var app: String?
    @Flag(help: "The throw-away Till has the demo shop.")
    var demo = false
    @Option(help: "The throw-away Till's profile, till (default) or apple.")
    var profile: String?
    @Flag(help: "Leads to a running server instead, found like by the other commands.")
    var join = false
    @Option(help: "mount, network or proxy: that way or none (default: the first that is open).")
    var way: ExecWay?
    @Option(help: "A port of the machine's localhost that the program keeps in a network namespace. May be repeated.")
    var keepPort: [Int] = []
    @Option(help: "With --join: the address of control.")
    var control: String?
    @Option(help: "With --join: the data directory of a server on this machine.")
    var data: String?
    @Argument(parsing: .postTerminator, help: "The program and its arguments.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("Name the program after two dashes: till exec --demo -- python3 backend.py")
        }
        if join, file != nil || demo || profile != nil {
            throw ValidationError(
                "--join leads to a server that runs; --import, --demo and --profile are for a new one."
            )
        }
        if file != nil, demo { throw ValidationError("--demo has its own app; leave out --import or --demo.") }
        if demo, let app, app != DemoCatalog.bundleID {
            throw ValidationError("--demo has the app \(DemoCatalog.bundleID); leave out --app or --demo.")
        }
        if app != nil, file == nil, !demo, !join {
            throw ValidationError("--app names the app of --import, or one of a running server with --join.")
        }
        if !join, control != nil || data != nil { throw ValidationError("--control and --data belong to --join.") }
        guard keepPort.allSatisfy({ (1...65_535).contains($0) }), keepPort.count <= 20 else {
            throw ValidationError("--keep-port is a port from 1 to 65535, at most 20 of them.")
        }
    }

    func run() async throws {
        till_note_inherited()
        till_catch_signals()
        let code: Int32
        do {
            code = try await inFolder()
        } catch let refused as ExecRefused {
            Self.say(refused.description)
            code = refused.code
        } catch {
            Self.say(error.logText)
            code = 125
        }
        throw ExitCode(code)
    }

    /// Gives the work a folder that everybody may look into, and removes it at the end.
    private func inFolder() async throws -> Int32 {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/till-exec-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template), chmod(made, 0o755) == 0 else {
            throw ExecRefused("No folder can be made in \(FileManager.default.temporaryDirectory.path).")
        }
        let folder = String(cString: made)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if join {
            let client = try ServerOptions(control: control, data: data).client()
            let key = ExecShop.key(in: client.directory)
            let shop = try await ExecShop(client, bundleID: bundleID, key: key, folder: folder)
            return try await run(shop, in: folder)
        }
        let till = try await ThrowAway.start(in: folder, demo: demo, profile: profile)
        do {
            let shop = try await setUp(till, folder)
            let code = try await run(shop, in: folder)
            await till.program.stop()
            return code
        } catch {
            await till.program.stop()
            throw error
        }
    }

    private var bundleID: String? { app ?? TillVariable.text("APP") }

    private func setUp(_ till: ThrowAway, _ folder: String) async throws -> ExecShop {
        if let file {
            let bundleID = bundleID ?? "com.example.app"
            let key = try await till.setUp(file, bundleID: bundleID, folder: folder)
            return try await ExecShop(till.client, bundleID: bundleID, key: key, folder: folder)
        }
        let key = ExecShop.key(in: till.client.directory)
        return try await ExecShop(till.client, bundleID: nil, key: key, folder: folder)
    }

    private func run(_ shop: ExecShop, in folder: String) async throws -> Int32 {
        var environment = TillVariable.environmentWithoutServer
        environment.merge(shop.environment) { $1 }
        try trust(shop, folder, &environment)
        var logger = Logger(label: "till", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .notice
        let finder = WayFinder(
            shop: shop,
            command: command,
            environment: environment,
            folder: folder,
            keptPorts: keepPort,
            logger: logger
        )
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

    /// The way that was forced, or the first that is open; why the others are not is said.
    private func firstOpen(_ finder: WayFinder) async throws -> OpenWay {
        if let way {
            do {
                return try await finder.opened(way)
            } catch {
                throw ExecRefused("The way \(way.rawValue) is not open: \(error.logText).")
            }
        }
        let ways: [ExecWay] = geteuid() == 0 ? [.mount, .network] : [.network]
        for way in ways {
            do {
                return try await finder.opened(way)
            } catch {
                Self.say("The way \(way.rawValue) is not open: \(error.logText).")
            }
        }
        return try await finder.opened(.proxy)
    }

    /// Writes the bundles and names them in the variables that clients read.
    private func trust(_ shop: ExecShop, _ folder: String, _ environment: inout [String: String]) throws {
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

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("till: \(line)\n".utf8))
    }
}
