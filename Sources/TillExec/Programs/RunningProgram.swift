#if os(Linux)
import CNamespace
import Foundation
import Synchronization

/// A running program.
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

    /// Its exit code, or 128 and the signal that ended it; nil while it runs.
    var exitCode: Int32? { code.withLock { $0 } }

    /// Waits for its end.
    func end() async -> Int32 {
        for await status in ends { return status }
        return exitCode ?? 125
    }

    /// Asks it to stop and waits; kills it after ten seconds.
    func stop() async {
        guard exitCode == nil else { return }
        kill(process, SIGTERM)
        for _ in 0..<1_000 where exitCode == nil { try? await Task.sleep(for: .milliseconds(10)) }
        if exitCode == nil { kill(process, SIGKILL) }
        while exitCode == nil { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
#endif
