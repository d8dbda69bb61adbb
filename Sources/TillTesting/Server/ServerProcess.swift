import Foundation

/// A `till serve` process without data, on free ports. It ends with this process.
struct ServerProcess: Sendable {
    /// Runs the server. When the pipe closes, the shell stops the server, kills it if it does not end within 30
    /// seconds, and deletes the folder.
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
        wait "$till"; status=$?
        while kill -0 "$till" 2>/dev/null; do wait "$till"; status=$?; done
        echo "$status" >"$0/ended"
        while kill -0 "$watch" 2>/dev/null; do wait "$watch"; done
        rm -rf "$0"
        """
    private static let startLimit = Duration.seconds(120)

    private let shell: ShellProcess

    /// The folder with the log and the ready file.
    var folder: String { shell.folder }

    /// Starts the program.
    ///
    /// - Throws: `TillTestingError` if it cannot be started.
    init(program: String) throws(TillTestingError) {
        do {
            shell = try ShellProcess(Self.script) { folder in
                [
                    program, "serve", "--ephemeral", "--production-port", "0", "--sandbox-port", "0",
                    "--control-port", "0", "--ready-file", "\(folder)/ready.json",
                ]
            }
        } catch {
            throw TillTestingError("\(program) could not be started: \(error)")
        }
    }

    /// The program that `TILL_BIN` names, or `till` on the path.
    ///
    /// - Throws: `TillTestingError` if there is none.
    static func program(_ environment: [String: String]) throws(TillTestingError) -> String {
        if let program = environment["TILL_BIN"], !program.isEmpty {
            // The shell would look for a name without a slash on the path.
            let path = URL(fileURLWithPath: program).path
            var isFolder: ObjCBool = false
            guard FileManager.default.isExecutableFile(atPath: path),
                FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
            else {
                throw TillTestingError("TILL_BIN is \(program), which is not a program. Name the program till.")
            }
            return path
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

    /// What to tell about the end of the server; nil while it runs.
    func endReport() -> String? {
        guard let status = FileManager.default.contents(atPath: "\(folder)/ended") else { return nil }
        let log = FileManager.default.contents(atPath: "\(folder)/log") ?? Data()
        let code = String(decoding: status, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return "The server of the tests has ended with the status \(code). Its log ends with: "
            + String(decoding: log.suffix(1_500), as: UTF8.self)
    }

    /// Stops the server.
    func stop() { shell.closePipe() }

    private struct Addresses: Decodable {
        let control: String
    }
}
