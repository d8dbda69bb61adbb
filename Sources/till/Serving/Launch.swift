import CNamespace
import Foundation
import Synchronization

/// A program to start, with its own namespaces if needed.
struct Launch {
    /// The program, found on the PATH, and its arguments.
    var arguments: [String]
    var environment: [String: String]
    var namespaces: Namespaces = []
    /// Files to mount over other files.
    var mounts: [(source: String, target: String)] = []
    /// Addresses on which the child listens inside its network namespace.
    var listening: [(address: String, port: UInt16)] = []
    /// A descriptor that the program gets as descriptor 3.
    var passed: CInt = -1
    /// A descriptor that the program gets as standard error.
    var errors: CInt = -1
    /// For helpers: no standard input and output, and no signals from the terminal.
    var isHelper = false

    struct Namespaces: OptionSet {
        let rawValue: Int32

        static let user = Namespaces(rawValue: Int32(TILL_NEW_USER.rawValue))
        static let network = Namespaces(rawValue: Int32(TILL_NEW_NETWORK.rawValue))
        static let mount = Namespaces(rawValue: Int32(TILL_NEW_MOUNT.rawValue))
    }

    /// Creates the namespaces, mounts and sockets; the program does not run yet.
    func prepare() throws(LaunchFailed) -> PreparedProgram {
        let texts = CStrings()
        let ports = listening.map(\.port)
        var launch = till_launch()
        launch.arguments = UnsafePointer(texts.list(arguments))
        launch.environment = UnsafePointer(texts.list(environment.map { "\($0.key)=\($0.value)" }))
        launch.namespaces = namespaces.rawValue
        launch.mounts = texts.constants(mounts.flatMap { [$0.source, $0.target] })
        launch.mount_count = Int32(mounts.count * 2)
        launch.addresses = texts.constants(listening.map(\.address))
        launch.socket_count = Int32(listening.count)
        launch.passed = passed
        launch.errors = errors
        launch.own_group = isHelper ? 1 : 0
        launch.silent = isHelper ? 1 : 0
        var child = till_child()
        var failure = till_failure()
        let outcome = ports.withUnsafeBufferPointer { ports in
            launch.ports = ports.baseAddress
            return till_prepare(&launch, &child, &failure)
        }
        withExtendedLifetime(texts) {}
        guard outcome == 0 else { throw LaunchFailed(failure) }
        return PreparedProgram(child, sockets: listening.count)
    }
}

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

/// Why a program could not be started: the failed step and the system's error.
struct LaunchFailed: Error, CustomStringConvertible {
    let step: Int32
    let error: Int32

    init(_ failure: till_failure) {
        step = failure.step
        error = failure.error
    }

    func isAt(_ step: till_step) -> Bool { self.step == Int32(step.rawValue) }

    var description: String {
        let action =
            switch till_step(UInt32(step)) {
            case TILL_STEP_NAMESPACE: "the kernel refuses a namespace"
            case TILL_STEP_IDENTITY: "cannot map the user into a namespace"
            case TILL_STEP_MOUNT: "cannot mount in the namespace"
            case TILL_STEP_LOOPBACK: "cannot bring up the namespace's loopback interface"
            case TILL_STEP_LISTEN: "cannot listen on the address"
            case TILL_STEP_PROGRAM: "cannot run the program"
            default: "cannot start a process"
            }
        return "\(action) (\(String(cString: strerror(error))))"
    }
}

/// C string arrays, terminated with NULL and freed with this object.
private final class CStrings {
    private var lists: [UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>] = []

    deinit {
        for list in lists {
            for pointer in list { free(pointer) }
            list.deallocate()
        }
    }

    func list(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        let list = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
        list.initialize(repeating: nil)
        for (index, text) in texts.enumerated() { list[index] = strdup(text) }
        lists.append(list)
        return list.baseAddress
    }

    /// The same as pointers to constant strings.
    func constants(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?>? {
        UnsafeRawPointer(list(texts))?.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
    }
}
