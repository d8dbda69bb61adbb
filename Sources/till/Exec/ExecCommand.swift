import ArgumentParser
import CNamespace
import Foundation
import Logging
import TillShop
import TillStorage

struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Runs an unmodified program with Till as its App Store.",
        discussion: """
            till exec --demo -- python3 backend.py
            till exec --import Shop.storekit --app com.example.app -- pytest
            till exec --join -- ./backend                     with a running server that has --tls-port
            till exec --way proxy --demo -- curl https://api.storekit.apple.com/

            Starts a temporary Till and redirects the six host names of the App Store to it, for this program and its
            child processes: as root with a mount namespace; as another user with a network namespace, if slirp4netns
            is installed and the kernel allows it; otherwise with HTTPS_PROXY and the variables for certificate
            authorities. Standard error says which way was used and its limits. Linux only, except --way proxy.

            Sets TILL_CONTROL, TILL_APP, TILL_APP_APPLE_ID, TILL_KEY (a file), TILL_KEY_ID, TILL_ISSUER_ID,
            TILL_ROOT_PEM, TILL_ROOT_DER, TILL_TLS_ROOT, TILL_PRODUCTION and TILL_SANDBOX for the program.
            JAVA_TOOL_OPTIONS makes JVMs trust Till.

            Exit codes: the program's; 128 plus the signal that ended it; 127 not found, 126 not executable,
            125 till exec itself failed.
            """
    )

    @Option(name: .customLong("import"), help: "A .storekit file to import into the temporary Till.")
    var file: String?
    @Option(help: "The bundle identifier (default: TILL_APP; with --import com.example.app; otherwise the only app).")
    var app: String?
    @Flag(help: "Sets up the demo app in the temporary Till.")
    var demo = false
    @Option(help: "The profile of the temporary Till, till (default) or apple.")
    var profile: String?
    @Flag(help: "Uses a running server instead, found as by the other commands.")
    var join = false
    @Option(help: "mount, network or proxy: only this way (default: the first available).")
    var way: ExecWay?
    @Option(help: "A localhost port of the machine that stays reachable in a network namespace. May be repeated.")
    var keepPort: [Int] = []
    @Option(help: "With --join: the URL of the control API.")
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
                "--join uses a running server; --import, --demo and --profile need a new one."
            )
        }
        if file != nil, demo { throw ValidationError("--demo has its own app. Remove --import or --demo.") }
        if demo, let app, app != DemoCatalog.bundleID {
            throw ValidationError("--demo has the app \(DemoCatalog.bundleID). Remove --app or --demo.")
        }
        if app != nil, file == nil, !demo, !join {
            throw ValidationError("--app needs --import, or --join for an app of a running server.")
        }
        if !join, control != nil || data != nil { throw ValidationError("--control and --data need --join.") }
        guard keepPort.allSatisfy({ (1...65_535).contains($0) }), keepPort.count <= 20 else {
            throw ValidationError("--keep-port takes ports from 1 to 65535, at most 20.")
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

    /// Runs the work with a folder that all users can read, and removes the folder afterwards.
    private func inFolder() async throws -> Int32 {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/till-exec-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template), chmod(made, 0o755) == 0 else {
            throw ExecRefused("Cannot create a folder in \(FileManager.default.temporaryDirectory.path).")
        }
        let folder = String(cString: made)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if join {
            let client = try ServerOptions(control: control, data: data).client()
            let key = ExecShop.key(in: client.directory)
            let shop = try await ExecShop(client, bundleID: bundleID, key: key, folder: folder)
            return try await run(shop, in: folder)
        }
        let till = try await TemporaryTill.start(in: folder, demo: demo, profile: profile)
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

    private func setUp(_ till: TemporaryTill, _ folder: String) async throws -> ExecShop {
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

    /// The way given by --way, or the first available; standard error explains why the others are not available.
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

    /// Writes the certificate bundles and sets the variables with which clients find them.
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
