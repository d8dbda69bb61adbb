import Foundation

/// A shell that outlives this process: it reads from a pipe, whose other end only this process has. The pipe closes
/// when this process ends, in whatever way, also by SIGKILL.
struct ShellProcess: Sendable {
    /// The folder of the script, which is `$0` there. The script deletes it.
    let folder: String
    /// The end of the pipe that this process has.
    private let lifeline: Int32

    /// Starts `/bin/sh` in a new temporary folder.
    ///
    /// - Parameters:
    ///   - script: the script. It must survive the signals of a terminal.
    ///   - arguments: the arguments of the script, which may contain the folder.
    ///   - environment: more variables. Till's own variables of this process are left out.
    init(_ script: String, environment: [String: String] = [:], arguments: (String) -> [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("till-testing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        self.folder = folder.path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, folder.path] + arguments(folder.path)
        // Settings for other servers, such as TILL_DATA or TILL_PROFILE, do not concern this one.
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.uppercased().hasPrefix("TILL_") }
            .merging(environment) { $1 }
        let pipe = Pipe()
        process.standardInput = pipe.fileHandleForReading
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The copy stays open until this process ends or closes it, and no other process inherits it.
        lifeline = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        do {
            try pipe.fileHandleForWriting.close()
            try Self.withoutBlockedSignals { try process.run() }
            try pipe.fileHandleForReading.close()
        } catch {
            closePipe()
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Closes the pipe, as the end of this process does.
    func closePipe() { close(lifeline) }

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
}
