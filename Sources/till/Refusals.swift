import Foundation
import TillControl
import TillJSON
import TillPostgres
import TillRuntime
import TillSQLite
import TillShop
import TillStorage

/// A refusal by the server or by the command itself, or the message that no server answers.
struct CommandRefused: Error, CustomStringConvertible {
    let description: String
    /// 1 for a refusal, 2 if no server answers.
    let exitCode: Int32
    /// What `--json` prints: an object with `code`, `message` and the other keys of the server's error.
    private(set) var document: JSONTree

    /// - Parameter code: the machine-readable code of the error.
    init(_ description: String, code: String = "refused", exitCode: Int32 = 1) {
        self.description = description
        self.exitCode = exitCode
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

    init(_ unreachable: ControlUnreachable) {
        // The paths of all operations begin with /v1.
        let address = unreachable.url.components(separatedBy: "/v1/")[0]
        guard unreachable.mayHaveArrived else {
            self = .unreached(at: address)
            return
        }
        self = .unreached(
            "The server at \(address) did not answer completely (\(unreachable.cause)). It may have done what "
                + "was asked: look before you repeat the command."
        )
    }

    static func unreached(_ description: String) -> CommandRefused {
        CommandRefused(description, code: "server_not_reached", exitCode: 2)
    }

    static func unreached(at address: String) -> CommandRefused {
        unreached(
            "No Till answers at \(address). Start one with till serve, or give another server with --control or --data."
        )
    }

    /// The message of a refusal by a server, a store or a data directory; nil for any other error.
    static func refusal(_ error: any Error) -> CommandRefused? {
        switch error {
        case let refused as CommandRefused: refused
        case is RuntimeRefused, is PortRefused, is BackupRefused, is MigrationRefused, is RootRefused,
            is DirectoryRefused, is StoreRefused, is PostgresRefused:
            CommandRefused("\(error)")
        default: nil
        }
    }

    /// The message of an error that is not a refusal.
    static func failure(_ error: any Error) -> CommandRefused {
        let full = "The disk is full. Free some space, or give a folder on another disk."
        return CommandRefused(error.isFullDisk ? full : error.logText.sentence)
    }
}
