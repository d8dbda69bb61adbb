import CNamespace
import Foundation
import TillJSON
import TillShop

/// A Till in a temporary folder for one command: started, set up, and removed with all its files.
struct TemporaryTill {
    let program: RunningProgram
    let client: ControlClient

    /// Starts a server on free ports and waits until it is ready.
    static func start(in folder: String, demo: Bool, profile: String?) async throws -> TemporaryTill {
        for _ in 0..<3 {
            if let till = try await start(in: folder, demo, profile, production: try freePort()) { return till }
        }
        throw ExecRefused("The temporary Till does not start.")
    }

    /// Nil when the server ended before it was ready; another process may have taken the port.
    ///
    /// - Parameter port: known before the start, because the certificates name it for OCSP.
    private static func start(
        in folder: String,
        _ demo: Bool,
        _ profile: String?,
        production port: UInt16
    ) async throws -> TemporaryTill? {
        let ready = "\(folder)/ready.json"
        let arguments = [
            try executable(), "serve", "--data", "\(folder)/data", "--ready-file", ready,
            "--host", "127.0.0.1", "--production-port", String(port), "--sandbox-port", "0",
            "--ocsp-url", "http://127.0.0.1:\(port)/ocsp",
            "--control-address", "127.0.0.1", "--control-port", "0", "--tls-host", "127.0.0.1", "--tls-port", "0",
        ]
        let launch = Launch(
            arguments: arguments + (demo ? ["--demo"] : []) + (profile.map { ["--profile", $0] } ?? []),
            environment: TillVariable.environmentForNewServer,
            isHelper: true
        )
        var prepared = try launch.prepare()
        let program = try prepared.release()
        while !FileManager.default.fileExists(atPath: ready) {
            if till_caught_signal() != 0 {
                await program.stop()
                throw ExecRefused("A signal arrived before the command started.", code: 128 + till_caught_signal())
            }
            if program.exitCode != nil { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
        let facts = try JSONTree.parse(Array(DataDirectory.read(ready).utf8))
        let client = ControlClient(
            address: facts["control"]?.text ?? "",
            token: nil,
            directory: DataDirectory("\(folder)/data")
        )
        return TemporaryTill(program: program, client: client)
    }

    /// Creates an app from a .storekit file, and a key with its private key in the folder.
    func setUp(_ file: String, bundleID: String, folder: String) async throws -> Key {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandRefused("\(file) cannot be read.")
        }
        _ = try await client.post("/v1/apps", .members(["bundleId": .string(bundleID)]))
        _ = try await client.put("/v1/apps/\(escaped(bundleID))/catalog/storekit", bytes: Array(bytes))
        let made = try await client.post("/v1/keys", .members(["name": .string("till exec")]))
        let id = made["keyId"]?.text ?? ""
        let path = "\(folder)/AuthKey_\(id).p8"
        try DataDirectory.write(made["privateKey"]?.text ?? "", to: path)
        return Key(id: id, issuerID: made["issuerId"]?.text, file: path)
    }

    /// An API key, for the variables of the command.
    struct Key {
        let id: String
        let issuerID: String?
        let file: String
    }

    /// A loopback port that is free at the moment.
    private static func freePort() throws -> UInt16 {
        guard let port = UInt16(exactly: till_free_port()) else { throw ExecRefused("No port is free on 127.0.0.1.") }
        return port
    }

    /// The path of this executable.
    private static func executable() throws -> String {
        if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") { return link }
        guard let path = Bundle.main.executablePath else { throw ExecRefused("Cannot find the till executable.") }
        return path
    }
}

/// Why `till exec` did not run its command, or had to stop.
struct ExecRefused: Error, CustomStringConvertible {
    let description: String
    /// 125, as with `env` and `timeout`, unless the command itself could not be run.
    let code: Int32

    init(_ description: String, code: Int32 = 125) {
        self.description = description
        self.code = code
    }
}
