#if os(Linux)
import CNamespace
import Foundation
import Logging
import NIOCore
import TillServer
import TillShop

/// Prepares ways. If a way is not available, it throws `LaunchFailed` or `ExecRefused` and leaves nothing behind.
struct WayFinder {
    /// What to run.
    let exec: ExecRun
    /// The environment variables of the command, without those that a way sets.
    let environment: [String: String]
    let logger: Logger

    private static let names = AppStoreHost.allCases.map(\.rawValue)
    static let ownAuthorities = "programs with their own certificate authorities (see till hosts)"

    func opened(_ way: ExecWay) async throws -> OpenWay {
        switch way {
        case .mount: try mount()
        case .network: try await network()
        case .proxy: try await proxy()
        }
    }

    // MARK: Mount

    private func mount() throws -> OpenWay {
        guard geteuid() == 0 else { throw ExecRefused("only root can mount") }
        // Parallel runs each use another loopback address.
        for last in 2...250 {
            if let open = try mount(at: "127.0.0.\(last)") { return open }
        }
        throw ExecRefused("port 443 is taken on every address from 127.0.0.2 to 127.0.0.250")
    }

    /// Prepares a mount namespace; nil if another process listens on port 443 of this address.
    private func mount(at address: String) throws -> OpenWay? {
        var launch = Launch(arguments: exec.command, environment: directEnvironment, namespaces: .mount)
        launch.mounts = try hostsAndAuthorities(address)
        launch.listening = [(address, 443)]
        let program: PreparedProgram
        do {
            program = try launch.prepare()
        } catch {
            guard error.isAt(TILL_STEP_LISTEN), error.error == EADDRINUSE else { throw error }
            return nil
        }
        return OpenWay(
            program: program,
            doors: doors(program.sockets, [exec.shop.target]),
            helper: nil,
            words: """
                way mount: in a mount namespace, the App Store's names lead to \(address):443. The command uses \
                the machine's own network, databases and caches. Not redirected: programs outside the namespace that \
                work for the command (a Docker daemon, a running service), \(Self.ownAuthorities).
                """
        )
    }

    // MARK: Network

    private func network() async throws -> OpenWay {
        guard let slirp = Self.find("slirp4netns") else {
            throw ExecRefused("slirp4netns is not installed (apt-get install slirp4netns)")
        }
        let isRoot = geteuid() == 0
        var launch = Launch(arguments: exec.command, environment: directEnvironment, namespaces: [.network, .mount])
        if !isRoot { launch.namespaces.insert(.user) }
        let resolver = "\(exec.folder)/resolv.conf"
        try ExecShop.write(Data("nameserver 10.0.2.3\n".utf8), to: resolver)
        launch.mounts = try hostsAndAuthorities("127.0.0.2")
        if Self.exists("/etc/resolv.conf") { launch.mounts.append((resolver, "/etc/resolv.conf")) }
        let kept = Set(exec.shop.loopbackPorts + exec.keptPorts).sorted()
        launch.listening = [("127.0.0.2", 443)] + kept.map { ("127.0.0.1", UInt16($0)) }
        var program = try launch.prepare()
        let helper: RunningProgram
        do {
            helper = try await connect(program.process, with: slirp)
        } catch {
            program.abandon()
            throw error
        }
        let targets = try [exec.shop.target] + kept.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) }
        let asBefore = exec.keptPorts.map(String.init).joined(separator: ", ")
        let ports = asBefore.isEmpty ? "" : " (but \(asBefore) as before)"
        return OpenWay(
            program: program,
            doors: doors(program.sockets, targets),
            helper: helper,
            words: """
                way network: in a network namespace, the App Store's names lead to Till. Limits: the machine's \
                services on localhost are at 10.0.2.2\(ports) (--keep-port keeps a port); no connections \
                from outside to ports of the command; no IPv6\(isRoot ? "" : "; no sudo and su"). Not redirected: \
                \(Self.ownAuthorities).
                """
        )
    }

    /// Connects the network namespace of a process to the network of the machine.
    private func connect(_ process: pid_t, with slirp: String) async throws -> RunningProgram {
        let log = "\(exec.folder)/slirp4netns.log"
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw ExecRefused("cannot create a pipe") }
        let errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let (ready, given) = (ends[0], ends[1])
        defer {
            close(ready)
            close(errors)
        }
        var launch = Launch(
            arguments: [slirp, "--configure", "--mtu=65520", "--ready-fd=3", String(process), "tap0"],
            environment: ProcessInfo.processInfo.environment,
            isHelper: true
        )
        launch.passed = given
        launch.errors = errors
        let helper = try Self.start(launch, handing: given)
        // slirp4netns writes one byte when the network is ready. It exits if it cannot create the network.
        _ = fcntl(ready, F_SETFL, O_NONBLOCK)
        var byte: UInt8 = 0
        for _ in 0..<1_000 {
            if read(ready, &byte, 1) == 1 { return helper }
            if helper.exitCode != nil { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        await helper.stop()
        let said = (try? DataDirectory.read(log))?.split(separator: "\n").suffix(2).joined(separator: " ") ?? ""
        throw ExecRefused("slirp4netns failed to create the network: \(said)")
    }

    /// Starts a helper. Then closes this process's copy of the descriptor that the helper received.
    private static func start(_ launch: Launch, handing descriptor: CInt) throws -> RunningProgram {
        defer { close(descriptor) }
        var prepared = try launch.prepare()
        return try prepared.release()
    }

    // MARK: Proxy

    private func proxy() async throws -> OpenWay {
        let (ports, found) = AsyncStream<Int>.makeStream()
        let target = exec.shop.target
        let proxy = ConnectProxy(host: "127.0.0.1", port: 0, logger: logger) { target }
        let serving = Task { try await proxy.run { found.yield($0) } }
        var chosen = ports.makeAsyncIterator()
        let port = await chosen.next() ?? 0
        let address = "http://127.0.0.1:\(port)"
        var environment = environment
        for name in ["HTTPS_PROXY", "https_proxy"] { environment[name] = address }
        // Node.js 24 and later reads the proxy variables only if NODE_USE_ENV_PROXY is set.
        environment["NODE_USE_ENV_PROXY"] = "1"
        exempt(["localhost", "127.0.0.1", "::1"], in: &environment)
        JavaOptions.addProxy(port: port, except: environment["NO_PROXY"] ?? "", to: &environment)
        let program: PreparedProgram
        do {
            program = try Launch(arguments: exec.command, environment: environment).prepare()
        } catch {
            serving.cancel()
            throw error
        }
        return OpenWay(
            program: program,
            doors: [{ await Self.end(of: serving) }],
            helper: nil,
            words: """
                way proxy: HTTPS_PROXY and the variables for certificate authorities point to Till. Not redirected: \
                programs that ignore HTTPS_PROXY (PHP streams, Swift, Node.js before 24), \(Self.ownAuthorities). The \
                proxy refuses every other host: list the other HTTPS hosts of the command in NO_PROXY.
                """
        )
    }

    /// Waits until a task ends, and cancels it when the waiting task is cancelled.
    private static func end(of task: Task<Void, any Error>) async {
        await withTaskCancellationHandler {
            _ = await task.result
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: Environment and mounts

    /// The environment for the ways that redirect host names. An existing proxy must not receive the redirected
    /// connections.
    private var directEnvironment: [String: String] {
        var environment = environment
        exempt(Self.names, in: &environment)
        return environment
    }

    private func exempt(_ hosts: [String], in environment: inout [String: String]) {
        for name in ["NO_PROXY", "no_proxy"] {
            let said = environment[name] ?? environment[name == "NO_PROXY" ? "no_proxy" : "NO_PROXY"] ?? ""
            let list = said.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            environment[name] = (list + hosts.filter { !list.contains($0) }).joined(separator: ",")
        }
    }

    private func doors(_ sockets: [CInt], _ targets: [SocketAddress]) -> [@Sendable () async throws -> Void] {
        zip(sockets, targets).map { socket, target in
            let relay = Relay(socket: socket, to: target, logger: logger)
            return { try await relay.run() }
        }
    }

    /// Returns the files to mount: a hosts file that begins with the App Store's names, and for each certificate bundle
    /// of the system a bundle that also contains Till's root.
    private func hostsAndAuthorities(_ address: String) throws -> [(source: String, target: String)] {
        let hosts = "\(exec.folder)/hosts"
        let lines = Self.names.map { "\(address) \($0)\n" }.joined()
        try ExecShop.write(Data((lines + ((try? DataDirectory.read("/etc/hosts")) ?? "")).utf8), to: hosts)
        guard Self.exists("/etc/hosts") else { throw ExecRefused("there is no /etc/hosts to mount over") }
        // Some bundles are links to other bundles, which must be mounted over only once.
        let bundles = Set(
            TrustBundle.systemFiles.filter(Self.exists).map { URL(filePath: $0).resolvingSymlinksInPath().path }
        )
        return [(hosts, "/etc/hosts")] + bundles.sorted().map { ("\(exec.folder)/system-bundle.pem", $0) }
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private static func find(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"])
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
#endif
