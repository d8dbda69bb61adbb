#if os(Linux)
import CNamespace
import Foundation

/// A program to start, in namespaces of its own if necessary.
struct Launch {
    /// The name of the program, which is searched for on the PATH, and its arguments.
    var arguments: [String]
    var environment: [String: String]
    var namespaces: Namespaces = []
    /// Files to mount in the program's namespace: each source hides the file at its target.
    var mounts: [(source: String, target: String)] = []
    /// The addresses on which the child process listens, inside its network namespace.
    var listening: [(address: String, port: UInt16)] = []
    /// A file descriptor that the program receives as descriptor 3; -1 for none.
    var passed: CInt = -1
    /// A file descriptor that the program receives as standard error; -1 for the inherited one.
    var errors: CInt = -1
    /// Whether the program is a helper: it has no standard input and output, and gets no signals from the terminal.
    var isHelper = false

    struct Namespaces: OptionSet {
        let rawValue: Int32

        static let user = Namespaces(rawValue: Int32(TILL_NEW_USER.rawValue))
        static let network = Namespaces(rawValue: Int32(TILL_NEW_NETWORK.rawValue))
        static let mount = Namespaces(rawValue: Int32(TILL_NEW_MOUNT.rawValue))
    }

    /// Creates the namespaces, mounts and sockets in a child process, which does not run the program yet.
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

/// Arrays of C strings, each with NULL at its end. They are freed together with this object.
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

    /// Creates the same array as `list`, as pointers to constant strings.
    func constants(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?>? {
        UnsafeRawPointer(list(texts))?.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
    }
}

/// Why a program could not be started: the step that failed, and the system's error.
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
#endif
