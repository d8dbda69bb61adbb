#if os(Linux)
import CNamespace
import Foundation

/// A child process in its namespaces that waits for the command to run its program.
struct PreparedProgram {
    private var child: till_child
    /// In the order of the requested addresses.
    let sockets: [CInt]

    init(_ child: till_child, sockets count: Int) {
        self.child = child
        sockets = withUnsafeBytes(of: child.sockets) { Array($0.bindMemory(to: CInt.self).prefix(count)) }
    }

    var process: pid_t { child.pid }

    /// Runs the program.
    mutating func release() throws(LaunchFailed) -> RunningProgram {
        var failure = till_failure()
        guard till_release(&child, &failure) == 0 else { throw LaunchFailed(failure) }
        return RunningProgram(child.pid)
    }

    /// Ends the child; its program never runs.
    mutating func abandon() {
        till_abandon(&child)
        for socket in sockets { close(socket) }
    }
}
#endif
