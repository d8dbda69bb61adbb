#if os(Linux)
import CNamespace
import Foundation
import Synchronization

/// A child process in its namespaces. It waits until it may run its program.
struct PreparedProgram {
    private var child: till_child
    /// The listening sockets, in the order of the requested addresses.
    let sockets: [CInt]

    init(_ child: till_child, sockets count: Int) {
        self.child = child
        sockets = withUnsafeBytes(of: child.sockets) { Array($0.bindMemory(to: CInt.self).prefix(count)) }
    }

    var process: pid_t { child.pid }

    /// Lets the child process run its program.
    mutating func release() throws(LaunchFailed) -> RunningProgram {
        var failure = till_failure()
        guard till_release(&child, &failure) == 0 else { throw LaunchFailed(failure) }
        return RunningProgram(child.pid)
    }

    /// Ends the child process. Its program never runs.
    mutating func abandon() {
        till_abandon(&child)
        for socket in sockets { close(socket) }
    }
}

/// A program that runs in a child process.
final class RunningProgram: Sendable {
    let process: pid_t
    private let code = Mutex<Int32?>(nil)
    private let ends: AsyncStream<Int32>

    init(_ process: pid_t) {
        self.process = process
        let (stream, end) = AsyncStream<Int32>.makeStream()
        ends = stream
        Thread.detachNewThread { [self] in
            let status = till_wait(process)
            code.withLock { $0 = status }
            end.yield(status)
            end.finish()
        }
    }

    /// The exit code, or 128 plus the signal that ended the program; nil while the program runs.
    var exitCode: Int32? { code.withLock { $0 } }

    /// Waits until the program ends, and returns its exit code.
    func end() async -> Int32 {
        for await status in ends { return status }
        return exitCode ?? 125
    }

    /// Asks the program to stop and waits until it ends. After ten seconds the program is killed.
    func stop() async {
        guard exitCode == nil else { return }
        kill(process, SIGTERM)
        for _ in 0..<1_000 where exitCode == nil { try? await Task.sleep(for: .milliseconds(10)) }
        if exitCode == nil { kill(process, SIGKILL) }
        while exitCode == nil { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
#endif
