#if os(Linux)
import CNamespace
import Foundation

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
#endif
