#if os(Linux)
import ArgumentParser
import CAllocator
import Foundation
import TillControl
import TillExec
import TillShop
import TillStorage

struct ExecCommand: DocumentedCommand {
    static let summary = "Runs an unmodified program that uses Till as its App Store."
    static let examples = """
        till exec --demo -- python3 backend.py
        till exec --import Shop.storekit --app com.example.app -- pytest
        # uses a running server that has --tls-port
        till exec --join -- ./backend
        """
    static let notes = """
        Starts a temporary Till and redirects the App Store's six host names to it, for the program and its child \
        processes. As root it uses a mount namespace. As another user it uses a network namespace, if slirp4netns \
        is installed and the kernel allows it. Otherwise it sets HTTPS_PROXY and the variables for certificate \
        authorities. Standard error shows the way that is used, and its limits. Linux only.

        Sets TILL_CONTROL, TILL_APP, TILL_APP_APPLE_ID, TILL_KEY (a file), TILL_KEY_ID, TILL_ISSUER_ID, \
        TILL_ROOT_PEM, TILL_ROOT_DER, TILL_TLS_ROOT, TILL_PRODUCTION and TILL_SANDBOX for the program. \
        JAVA_TOOL_OPTIONS makes JVMs trust Till.

        Exit codes: that of the program; 128 plus the number of the signal that ended it; 127 if the program is \
        not found; 126 if it is not executable; 125 if till exec itself failed.
        """

    @Option(
        name: .customLong("import"),
        help: "The .storekit file to import into the temporary Till.",
        completion: .file()
    )
    var file: String?
    @Option(
        help: """
            The bundle identifier (environment: TILL_APP; default: com.example.app with --import, otherwise the only \
            app).
            """
    )
    var app: String?
    @Flag(help: "Creates the demo app in the temporary Till.")
    var demo = false
    @Option(help: "The profile of the temporary Till: till or apple (default: till).")
    var profile: String?
    @Flag(help: "Uses a running server instead of a temporary Till. Other commands find it in the same way.")
    var join = false
    @Option(help: "The way to redirect: mount, network or proxy (default: the first that is available).")
    var way: ExecWay?
    @Option(help: "A localhost port that the program still reaches in a network namespace; may be repeated.")
    var keepPort: [Int] = []
    @Option(help: "With --join: the URL of the control API.")
    var control: String?
    @Option(help: "With --join: the data directory of a server on this machine.", completion: .directory)
    var data: String?
    @Argument(parsing: .postTerminator, help: "The program and its arguments.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("Give the program after two dashes: till exec --demo -- python3 backend.py")
        }
        if join, file != nil || demo || profile != nil {
            throw ValidationError(
                "--join uses a running server. --import, --demo and --profile need a temporary Till."
            )
        }
        if file != nil, demo { throw ValidationError("--demo creates its own app. Remove --import or --demo.") }
        if demo, let app, app != DemoCatalog.bundleID {
            throw ValidationError("--demo creates the app \(DemoCatalog.bundleID). Remove --app or --demo.")
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
        ExecSignals.prepare()
        till_settle_allocator()
        let code: Int32
        do {
            code = try await inFolder()
        } catch let refused as ExecRefused {
            ExecRun.say(refused.description)
            code = refused.code
        } catch {
            ExecRun.say(Till.reported(error).logText)
            code = 125
        }
        throw ExitCode(code)
    }

    /// Runs the program with a folder that all users can read. Removes the folder afterwards.
    private func inFolder() async throws -> Int32 {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/till-exec-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template), chmod(made, 0o755) == 0 else {
            throw ExecRefused("Cannot create a folder in \(FileManager.default.temporaryDirectory.path).")
        }
        let folder = String(cString: made)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if join {
            var options = ServerOptions()
            (options.control, options.data) = (control, data)
            let server = try options.location()
            let key = ExecShop.key(in: server.directory)
            return try await run(try options.client(), server.token, bundleID, key, in: folder)
        }
        let till = try await TemporaryServer.start(in: folder, demo: demo, profile: profile)
        do {
            let code = try await run(till, in: folder)
            await till.stop()
            return code
        } catch {
            await till.stop()
            throw error
        }
    }

    private var bundleID: String? { app ?? TillVariable.text("APP") }

    private func run(_ till: TemporaryServer, in folder: String) async throws -> Int32 {
        guard let file else {
            return try await run(till.client, nil, nil, ExecShop.key(in: till.directory), in: folder)
        }
        let bundleID = bundleID ?? "com.example.app"
        let key = try await till.setUp(file, bundleID: bundleID, folder: folder)
        return try await run(till.client, nil, bundleID, key, in: folder)
    }

    private func run(
        _ client: ControlClient,
        _ token: String?,
        _ bundleID: String?,
        _ key: ExecKey?,
        in folder: String
    ) async throws -> Int32 {
        try await ExecRun(
            ExecShop(client, token: token, bundleID: bundleID, key: key, folder: folder),
            command: command,
            environment: TillVariable.environmentWithoutServer,
            folder: folder,
            way: way,
            keptPorts: keepPort
        ).run()
    }
}

extension ExecWay: ExpressibleByArgument {}
#else
import ArgumentParser

/// On other systems, a single program cannot have its own hosts file.
struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Runs an unmodified program that uses Till as its App Store. Linux only."
    )

    @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
    var command: [String] = []

    func run() async throws {
        throw CommandRefused(
            "till exec needs Linux. Here, start till serve --tls-port 8443 --proxy-port 3128, and run till hosts to "
                + "see how your program reaches it."
        )
    }
}
#endif
