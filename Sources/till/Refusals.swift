import Foundation
import TillControl
import TillJSON

/// A refusal by the server or by the command itself. The exit code is 1.
struct CommandRefused: Error, CustomStringConvertible {
    let description: String
    /// What `--json` prints: an object with `code`, `message` and the other keys of the server's error.
    private(set) var document: JSONTree

    /// - Parameter code: the machine-readable code of the error.
    init(_ description: String, code: String = "refused") {
        self.description = description
        document = .object([.init("code", .string(code)), .init("message", .string(description))])
    }

    /// A refusal by the server. For a missing token, the message also has advice for the command line.
    init(_ failure: ControlFailure) {
        var error = failure.error
        if failure.status == 401 {
            error.message =
                "\(error.message.sentence) Set TILL_CONTROL_TOKEN, or give the server's data directory with --data."
        }
        self.init(error.message, code: error.code)
        if let tree = try? JSONTree(encoding: error) { document = tree }
    }
}

/// No server answered. The exit code is 2.
struct ServerNotReached: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(at address: String) {
        description =
            "No Till answers at \(address). Start one with till serve, or give another server with --control or --data."
    }

    init(_ unreachable: ControlUnreachable) {
        // The paths of all operations begin with /v1.
        let address = unreachable.url.components(separatedBy: "/v1/")[0]
        guard unreachable.mayHaveArrived else {
            self.init(at: address)
            return
        }
        self.init(
            "The server at \(address) did not answer completely (\(unreachable.cause)). It may have done what "
                + "was asked: look before you repeat the command."
        )
    }

    /// What `--json` prints.
    var document: JSONTree {
        .object([.init("code", .string("server_not_reached")), .init("message", .string(description))])
    }
}
