#if os(Linux)
import Foundation
import NIOCore
import TillControl
import TillExec
import TillShop

/// Reads from the control API what the program needs in its environment variables.
extension ExecShop {
    /// Reads the facts about a running server.
    ///
    /// - Parameters:
    ///   - bundleID: the app in the variables; nil for the only app.
    ///   - key: an API key whose private key is in a file; nil for no key.
    ///   - folder: the folder to which the root certificate is written.
    ///   - token: the token of the control API, for the program.
    init(
        _ client: ControlClient,
        token: String?,
        bundleID: String?,
        key: ExecKey?,
        folder: String
    ) async throws {
        let ports = try await client.send(GetStatus()).ports
        let security = try await client.tls()
        let controlHost = URL(string: client.url)?.host ?? "127.0.0.1"
        let host = ["0.0.0.0", "::"].contains(security.address) ? controlHost : security.address
        let target = try SocketAddress.makeAddressResolvingHost(host, port: security.port)

        let isLocal = ["127.0.0.1", "localhost"].contains(controlHost)
        let loopbackPorts = isLocal ? [ports.production, ports.sandbox, ports.control] : []

        var environment = [
            "TILL_CONTROL": client.url,
            "TILL_PRODUCTION": "http://\(controlHost):\(ports.production)",
            "TILL_SANDBOX": "http://\(controlHost):\(ports.sandbox)",
        ]
        environment["TILL_CONTROL_TOKEN"] = token
        let root = try await client.send(GetAuthority()).rootCertificate
        environment["TILL_ROOT_PEM"] = "\(folder)/root.pem"
        environment["TILL_ROOT_DER"] = "\(folder)/root.der"
        try Self.write(Data(root.utf8), to: "\(folder)/root.pem")
        try Self.write(Data(pem: root) ?? Data(), to: "\(folder)/root.der")

        let apps = try await client.send(ListApps())
        let app = apps.first { $0.bundleId == bundleID } ?? (bundleID == nil && apps.count == 1 ? apps[0] : nil)
        if let bundleID, app == nil { throw ExecRefused("There is no app \(bundleID) on the server.") }
        environment["TILL_APP"] = app?.bundleId
        environment["TILL_APP_APPLE_ID"] = app.map { String($0.appAppleId) }
        environment["TILL_ISSUER_ID"] = key?.issuerID ?? app?.issuerId
        environment["TILL_KEY"] = key?.file
        environment["TILL_KEY_ID"] = key?.id
        self.init(
            target: target,
            tlsRoot: security.rootCertificate,
            loopbackPorts: loopbackPorts,
            environment: environment
        )
    }

    /// An API key whose private key is in the data directory of a server on this machine; nil if there is none.
    static func key(in directory: DataDirectory) -> ExecKey? {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.keys)) ?? []
        guard let file = files.sorted().first(where: { $0.hasPrefix("AuthKey_") && $0.hasSuffix(".p8") }) else {
            return nil
        }
        let id = String(file.dropFirst("AuthKey_".count).dropLast(".p8".count))
        // The path is absolute, because the program may change its working directory.
        return ExecKey(id: id, issuerID: nil, file: "\(directory.keys)/\(file)".absolutePath)
    }
}

/// An API key that the program receives in its environment variables.
struct ExecKey {
    let id: String
    /// The issuer id; nil for that of the app's team.
    let issuerID: String?
    /// The absolute path of the private key.
    let file: String
}
#endif
