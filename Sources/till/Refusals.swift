import Foundation
import TillJSON
import TillShop

/// A refusal by the server or by the command itself. The exit code is 1.
struct CommandRefused: Error, CustomStringConvertible {
    let description: String
    /// What `--json` prints: an object with `code`, `message` and the other keys of the server's error.
    let document: JSONTree

    /// - Parameter code: the machine-readable code of the error.
    init(_ description: String, code: String = "refused") {
        self.description = description
        document = .object([.init("code", .string(code)), .init("message", .string(description))])
    }

    /// Creates a refusal from an answer of the server.
    ///
    /// - Parameters:
    ///   - answer: the error object; nil if the server sent none.
    ///   - status: the HTTP status of the answer.
    init(_ description: String, answer: JSONTree?, status: Int) {
        guard case .object(let members) = answer, answer?["code"] != nil else {
            self.init(description, code: "http_\(status)")
            return
        }
        self.init(description, members: members)
    }

    private init(_ description: String, members: [JSONTree.Member]) {
        self.description = description
        document = .object(
            members.map { $0.key == "message" ? .init($0.key, .string(description)) : $0 }
        )
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

    /// What `--json` prints.
    var document: JSONTree {
        .object([.init("code", .string("server_not_reached")), .init("message", .string(description))])
    }
}
