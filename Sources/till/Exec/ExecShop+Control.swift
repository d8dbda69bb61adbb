#if os(Linux)
import Foundation
import NIOCore
import TillExec
import TillJSON
import TillShop

/// Reads from the control API what the program needs in its environment variables.
extension ExecShop {
    /// Reads the facts about a running server.
    ///
    /// - Parameters:
    ///   - bundleID: the app in the variables; nil for the only app.
    ///   - key: an API key whose private key is in a file; nil for no key.
    ///   - folder: the folder to which the root certificate is written.
    init(_ client: RawControlClient, bundleID: String?, key: ExecKey?, folder: String) async throws {
        let status = try await client.get("/v1/status")
        let security = try await client.get("/v1/tls")
        let controlHost = URL(string: client.address)?.host ?? "127.0.0.1"
        let address = security["address"]?.text ?? ""
        let host = ["0.0.0.0", "::"].contains(address) ? controlHost : address
        let target = try SocketAddress.makeAddressResolvingHost(host, port: Int(security["port"]?.text ?? "") ?? 0)
        let tlsRoot = security["rootCertificate"]?.text ?? ""

        let ports = ["production", "sandbox", "control"].compactMap { status["ports"]?[$0]?.text }
        let loopbackPorts = ["127.0.0.1", "localhost"].contains(controlHost) ? ports.compactMap { Int($0) } : []

        var environment = [
            "TILL_CONTROL": client.address,
            "TILL_PRODUCTION": "http://\(controlHost):\(status["ports"]?["production"]?.text ?? "")",
            "TILL_SANDBOX": "http://\(controlHost):\(status["ports"]?["sandbox"]?.text ?? "")",
        ]
        environment["TILL_CONTROL_TOKEN"] = client.token
        let root = try await client.get("/v1/ca")["rootCertificate"]?.text ?? ""
        environment["TILL_ROOT_PEM"] = "\(folder)/root.pem"
        environment["TILL_ROOT_DER"] = "\(folder)/root.der"
        try Self.write(Data(root.utf8), to: "\(folder)/root.pem")
        let base64 = root.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        try Self.write(Data(base64Encoded: base64) ?? Data(), to: "\(folder)/root.der")

        let apps = try await client.get("/v1/apps")["apps"]?.elements ?? []
        let app =
            apps.first { $0["bundleId"]?.text == bundleID } ?? (bundleID == nil && apps.count == 1 ? apps[0] : nil)
        if let bundleID, app == nil { throw ExecRefused("There is no app \(bundleID) on the server.") }
        environment["TILL_APP"] = app?["bundleId"]?.text
        environment["TILL_APP_APPLE_ID"] = app?["appAppleId"]?.text
        environment["TILL_ISSUER_ID"] = key?.issuerID ?? app?["issuerId"]?.text
        environment["TILL_KEY"] = key?.file
        environment["TILL_KEY_ID"] = key?.id
        self.init(target: target, tlsRoot: tlsRoot, loopbackPorts: loopbackPorts, environment: environment)
    }

    /// An API key whose private key is in the data directory of a server on this machine; nil if there is none.
    static func key(in directory: DataDirectory) -> ExecKey? {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.keys)) ?? []
        guard let file = files.sorted().first(where: { $0.hasPrefix("AuthKey_") && $0.hasSuffix(".p8") }) else {
            return nil
        }
        let id = String(file.dropFirst("AuthKey_".count).dropLast(".p8".count))
        // The path is absolute, because the program may change its working directory.
        let path = URL(fileURLWithPath: "\(directory.keys)/\(file)").standardizedFileURL.path
        return ExecKey(id: id, issuerID: nil, file: path)
    }
}
#endif
