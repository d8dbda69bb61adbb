#if os(Linux)
import CNamespace
import Foundation
import Synchronization

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
