import CNamespace
import Foundation
import Synchronization

/// A program to be started, perhaps in namespaces of its own.
struct Launch {
    /// The program, looked for on the PATH, and its arguments.
    var arguments: [String]
    var environment: [String: String]
    var namespaces: Namespaces = []
    /// Files that are mounted over others.
    var mounts: [(source: String, target: String)] = []
    /// Where the child listens inside its network.
    var listening: [(address: String, port: UInt16)] = []
    /// A descriptor that becomes 3 in the program.
    var passed: CInt = -1
    /// A descriptor that becomes standard error.
    var errors: CInt = -1
    /// For helpers: no standard input and output, and no signals of the terminal.
    var isHelper = false

    struct Namespaces: OptionSet {
        let rawValue: Int32

        static let user = Namespaces(rawValue: Int32(TILL_NEW_USER.rawValue))
        static let network = Namespaces(rawValue: Int32(TILL_NEW_NETWORK.rawValue))
        static let mount = Namespaces(rawValue: Int32(TILL_NEW_MOUNT.rawValue))
    }

    /// Makes the namespaces, mounts and sockets; the program itself waits.
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

/// A child that has its namespaces and waits for the word to run its program.
struct PreparedProgram {
    private var child: till_child
    /// In the order in which they were asked for.
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

/// A program at work, and its end.
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

    /// Asks it to stop and waits until it has; after ten seconds it is killed.
    func stop() async {
        guard exitCode == nil else { return }
        kill(process, SIGTERM)
        for _ in 0..<1_000 where exitCode == nil { try? await Task.sleep(for: .milliseconds(10)) }
        if exitCode == nil { kill(process, SIGKILL) }
        while exitCode == nil { try? await Task.sleep(for: .milliseconds(10)) }
    }
}

/// Why a program could not be started: what was tried, and what the system said.
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
            case TILL_STEP_NAMESPACE: "the kernel gives no namespace"
            case TILL_STEP_IDENTITY: "the user cannot be mapped into a namespace"
            case TILL_STEP_MOUNT: "nothing can be mounted in the namespace"
            case TILL_STEP_LOOPBACK: "the namespace's loopback cannot be raised"
            case TILL_STEP_LISTEN: "the address cannot be listened on"
            case TILL_STEP_PROGRAM: "the program cannot be run"
            default: "no process can be started"
            }
        return "\(action) (\(String(cString: strerror(error))))"
    }
}

/// Texts as C takes them: lists of pointers with NULL at the end, freed with this object.
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

    /// The same, as C declares what it does not change.
    func constants(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?>? {
        UnsafeRawPointer(list(texts))?.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
    }
}
