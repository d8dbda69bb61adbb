#if os(Linux)
import CNamespace
import Foundation

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
