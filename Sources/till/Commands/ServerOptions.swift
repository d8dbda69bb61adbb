import ArgumentParser
import Foundation
import TillControl
import TillJSON
import TillShop

/// The options with which a command finds the running server.
struct ServerOptions: Connecting {
    @Option(
        help: """
            The URL of the control API, such as http://127.0.0.1:8890 (environment: TILL_CONTROL; default: read from \
            the data directory).
            """
    )
    var control: String?
    @Option(
        help: "The data directory of a server on this machine (environment: TILL_DATA; default: ./till-data).",
        completion: .directory
    )
    var data: String?
    @Flag(help: "Prints the answer as JSON, for scripts.")
    var json = false

    var server: ServerOptions { self }

    func connect() throws -> ControlClient { try client() }

    func client() throws -> ControlClient {
        let server = try location()
        return ControlClient(server.address, token: server.token, http: WebClient.http)
    }

    /// The server's control API, the token for it, and the data directory in which a local server has its files.
    func location() throws -> (address: String, token: String?, directory: DataDirectory) {
        let named = data ?? TillVariable.text("DATA")
        let directory = DataDirectory(named ?? "./till-data")
        let found = control ?? TillVariable.text("CONTROL") ?? Self.address(in: directory)
        // With an explicit data directory, a server on the default port could be another server than the user wants.
        if found == nil, let named {
            throw CommandRefused.unreached(
                "No server runs in \(named): it has stopped, or has not started. Start one: till serve --data \(named)"
            )
        }
        let token = TillVariable.text("CONTROL_TOKEN") ?? (try? DataDirectory.read(directory.controlToken))
        return (
            address: found ?? "http://127.0.0.1:8890",
            token: token?.trimmingCharacters(in: .whitespacesAndNewlines),
            directory: directory
        )
    }

    /// Prints an answer.
    func show<Answer: Encodable>(
        _ answer: Answer,
        as text: (Answer) throws -> String = { try Output.lines(of: $0) }
    ) throws {
        try Output.show(answer, asJSON: json, text)
    }

    private static func address(in directory: DataDirectory) -> String? {
        guard let text = try? DataDirectory.read(directory.ports), let tree = try? JSONTree.parse(Array(text.utf8))
        else {
            return nil
        }
        return tree["control"]?.text
    }
}
