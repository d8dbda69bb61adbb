import Foundation

/// A `till serve` process without data, on free ports. It ends with this process.
struct ServerProcess: Sendable {
    /// A shell that runs the server. The shell reads from a pipe, whose other end only this process has. The pipe
    /// closes when this process ends, in whatever way; then the shell stops the server, kills it if it does not end
    /// within 30 seconds, and deletes the folder.
    ///
    /// `$0` is the folder, and the arguments are the command. The shell itself must survive the signals of a terminal.
    private static let script = """
        exec 3<&0 </dev/null
        trap : HUP INT TERM
        "$@" >"$0/log" 2>&1 3<&- & till=$!
        (
            while read -r line <&3; do :; done
            [ -e "$0/ended" ] || kill "$till"
            tries=0
            until [ -e "$0/ended" ] || [ "$tries" -gt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
            [ -e "$0/ended" ] || kill -9 "$till"
        ) 2>/dev/null & watch=$!
        exec 3<&-
        while kill -0 "$till" 2>/dev/null; do wait "$till"; done
        : >"$0/ended"
        while kill -0 "$watch" 2>/dev/null; do wait "$watch"; done
        rm -rf "$0"
        """
    private static let startLimit = Duration.seconds(120)

    /// The folder with the log and the ready file.
    let folder: String
    /// The end of the pipe that keeps the server running.
    let lifeline: Int32

    /// Starts the program.
    ///
    /// - Throws: `TillTestingError` if it cannot be started.
    init(program: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("till-testing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        self.folder = folder.path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", Self.script, folder.path, program, "serve", "--ephemeral", "--production-port", "0",
            "--sandbox-port", "0", "--control-port", "0", "--ready-file", "\(folder.path)/ready.json",
        ]
        // Settings for other servers, such as TILL_DATA or TILL_PROFILE, do not concern this one.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.uppercased().hasPrefix("TILL_") }
        let pipe = Pipe()
        process.standardInput = pipe.fileHandleForReading
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The copy stays open until this process ends or stops the server, and no other process inherits it.
        let lifeline = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        do {
            try pipe.fileHandleForWriting.close()
            try Self.withoutBlockedSignals { try process.run() }
            try pipe.fileHandleForReading.close()
        } catch {
            close(lifeline)
            throw TillTestingError("\(program) could not be started: \(error)")
        }
        self.lifeline = lifeline
    }

    /// Runs a function on this thread with no signal blocked. A new process inherits the blocked signals of the thread
    /// that starts it, and the threads of Swift's tasks block most signals: a shell could then not wait for its
    /// children, and the server would not stop at SIGTERM.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// The program that `TILL_BIN` names, or `till` on the path.
    ///
    /// - Throws: `TillTestingError` if there is none.
    static func program(_ environment: [String: String]) throws(TillTestingError) -> String {
        if let program = environment["TILL_BIN"], !program.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: program) else {
                throw TillTestingError("TILL_BIN is \(program), which is not a program. Name the program till.")
            }
            return program
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        guard let program = folders.map({ "\($0)/till" }).first(where: FileManager.default.isExecutableFile) else {
            throw TillTestingError(
                "There is no till on the path. Install it, or name the program in TILL_BIN, or name the control API of "
                    + "a running server in TILL_CONTROL."
            )
        }
        return program
    }

    /// Waits until the server is ready.
    ///
    /// - Returns: the URL of the control API.
    /// - Throws: `TillTestingError` with the log if it ends, or if it is not ready in time.
    func ready() async throws -> String {
        let end = ContinuousClock.now + Self.startLimit
        while ContinuousClock.now < end, !FileManager.default.fileExists(atPath: "\(folder)/ended") {
            if let file = FileManager.default.contents(atPath: "\(folder)/ready.json"),
                let addresses = try? JSONDecoder().decode(Addresses.self, from: file)
            {
                return addresses.control
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        let log = FileManager.default.contents(atPath: "\(folder)/log") ?? Data()
        stop()
        throw TillTestingError("Till did not start: \(String(decoding: log.suffix(2_000), as: UTF8.self))")
    }

    /// Stops the server.
    func stop() { close(lifeline) }

    private struct Addresses: Decodable {
        let control: String
    }
}
