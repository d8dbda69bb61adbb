#if os(Linux)
import ArgumentParser
import Foundation
import Logging
import TillControl
import TillExec
import TillRuntime
import TillShop

/// A Till for one command, in a temporary folder. It runs in the process of `till exec`.
struct TemporaryServer {
    private let server: RunningServer
    let client: ControlClient
    let directory: DataDirectory

    /// Starts a server on free ports. If another process takes the chosen port first, it tries again.
    static func start(in folder: String, demo: Bool, profile: String?) async throws -> TemporaryServer {
        for _ in 0..<3 {
            do {
                return try await start(in: folder, demo, profile, production: try LoopbackPort.free())
            } catch is PortRefused {
                // Another process took the port before this server could listen on it.
                continue
            }
        }
        throw ExecRefused("The temporary Till could not be started.")
    }

    /// - Parameter port: the production port, chosen before the start because certificates contain it in their OCSP
    ///   URL.
    private static func start(
        in folder: String,
        _ demo: Bool,
        _ profile: String?,
        production port: UInt16
    ) async throws -> TemporaryServer {
        let serve = try Serve.parse(
            [
                "--host", "127.0.0.1", "--production-port", String(port), "--sandbox-port", "0",
                "--ocsp-url", "http://127.0.0.1:\(port)/ocsp", "--control-address", "127.0.0.1", "--control-port", "0",
                "--tls-host", "127.0.0.1", "--tls-port", "0",
            ] + (demo ? ["--demo"] : []) + (profile.map { ["--profile", $0] } ?? [])
        )
        let source = try await serve.source(TillVariable.environmentForNewServer)
        let directory = DataDirectory("\(folder)/data")
        var configuration = try Serve.configuration(source, directory: directory)
        configuration.stopLimit = .seconds(10)
        // The log appears between the output of the command, so it has only what needs attention.
        let logger = try Serve.logger(source, level: .warning)
        let server = try await Runtime(configuration, logger: logger).start()
        if let signal = ExecSignals.caught {
            try? await server.stop()
            throw ExecRefused("A signal arrived before the command started.", code: 128 + signal)
        }
        let client = ControlClient(server.address(.control), http: WebClient.http)
        return TemporaryServer(server: server, client: client, directory: directory)
    }

    /// Stops the server. Its errors are ignored, because the command has already ended.
    func stop() async { try? await server.stop() }

    /// Creates an app from a .storekit file, and an API key whose private key is written to the folder.
    func setUp(_ file: String, bundleID: String, folder: String) async throws -> ExecKey {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandRefused("\(file) cannot be read.")
        }
        _ = try await client.send(CreateApp(bundleId: bundleID))
        _ = try await client.upload(ImportStoreKitFile(bundleId: bundleID), Array(bytes))
        let made = try await client.send(CreateKey(name: "till exec"))
        let path = "\(folder)/AuthKey_\(made.keyId).p8"
        try DataDirectory.write(made.privateKey ?? "", to: path)
        return ExecKey(id: made.keyId, issuerID: made.issuerId, file: path)
    }
}
#endif
