import Foundation
import Synchronization

/// A child process that is started and awaited with system calls. Foundation's Process may wait forever when another
/// thread notices the exit of the child.
final class Child {
    /// The running children. The benchmark stops all of them when it ends.
    private static let running = Mutex<Set<pid_t>>([])

    let id: pid_t
    private var isReaped = false
    private(set) var exitCode: Int32?

    /// - Parameter descriptors: The child's standard input, output and error; standard input may be nil.
    init(_ command: [String], environment: [String: String], _ descriptors: (Int32?, Int32, Int32)) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input = descriptors.0 {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, descriptors.1, 1)
        posix_spawn_file_actions_adddup2(&actions, descriptors.2, 2)
        // Threads of Swift tasks block signals, and the benchmark ignores some signals. A child would inherit both.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var ordinary = sigset_t()
        sigemptyset(&ordinary)
        sigaddset(&ordinary, SIGINT)
        sigaddset(&ordinary, SIGTERM)
        posix_spawnattr_setsigdefault(&attributes, &ordinary)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var id: pid_t = 0
        let error = Self.withCStrings(command) { arguments in
            Self.withCStrings(all.map { "\($0)=\($1)" }) { variables in
                posix_spawnp(&id, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard error == 0 else {
            throw BenchRefused("\(command[0]) does not start: \(String(cString: strerror(error)))")
        }
        self.id = id
        Self.running.withLock { _ = $0.insert(id) }
    }

    deinit { stop() }

    var isRunning: Bool {
        reap(WNOHANG)
        return !isReaped
    }

    func wait() { reap(0) }

    func stop() {
        guard isRunning else { return }
        kill(id, SIGTERM)
        for _ in 0..<3_000 where isRunning { usleep(10_000) }
        if isRunning { kill(id, SIGKILL) }
        wait()
    }

    private func reap(_ options: Int32) {
        guard !isReaped else { return }
        var status: Int32 = 0
        var found = waitpid(id, &status, options)
        while found < 0, errno == EINTR { found = waitpid(id, &status, options) }
        guard found == id else { return }
        isReaped = true
        Self.running.withLock { _ = $0.remove(id) }
        // The exit code, or 128 plus the number of the signal.
        exitCode = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// Stops all children.
    static func stopAll() {
        for id in running.withLock({ $0 }) { kill(id, SIGTERM) }
    }

    /// Both ends of a pipe. A child inherits an end only if the end is passed to it.
    static func ends() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchRefused("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Reads until the other end of the pipe is closed.
    static func readAll(_ descriptor: Int32) -> String {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }

    private static func withCStrings<Answer>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Answer
    ) -> Answer {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
