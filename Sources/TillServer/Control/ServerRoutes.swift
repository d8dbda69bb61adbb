import HTTPTypes
import TillCore
import TillShop
import TillSigning
import TillStorage

/// What the server is and where it listens; its backup.
extension ControlAPI {
    var serverRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/status",
                id: "getStatus",
                tag: "server",
                summary: "What the server is and where it listens.",
                response: .object(
                    "A running server.",
                    [
                        Schema.required("version", .string("Till's version.")),
                        Schema.required(
                            "ports",
                            .anyObject("The ports: production, sandbox, control; tls and proxy while they are on.")
                        ),
                        Schema.optional("dataDirectory", .string("Where the data lies.")),
                        Schema.optional("rootCertificate", .string("The file of the root certificate.")),
                        Schema.required("rootFingerprint", .string("SHA-256 of the root certificate, hexadecimal.")),
                    ]
                )
            ) { _ in status() },
            ControlRoute(
                method: .post,
                path: "/v1/backup",
                id: "backup",
                tag: "server",
                summary: "Copies database, certificates and keys into a new folder while serving goes on.",
                request: .object(
                    "Where to.",
                    [Schema.required("to", .string("A folder on the server's machine that does not exist yet."))]
                ),
                response: .object("The copy.", [Schema.required("directory", .string("The folder."))])
            ) { exchange in
                guard let directory = facts.dataDirectory else {
                    throw ControlError.conflict("no_directory", "This server keeps nothing on disk.")
                }
                let target = exchange.body.text("to") ?? ""
                do {
                    try await Backup.write(directory, storage: shop.storage, to: target)
                } catch let refused as BackupRefused {
                    throw ControlError.conflict("backup_refused", refused.description)
                }
                var json = PayloadWriter()
                json.put("directory", target)
                return json.finish()
            },
        ]
    }

    private func status() -> [UInt8] {
        var ports = PayloadWriter()
        ports.put("production", facts.productionPort())
        ports.put("sandbox", facts.sandboxPort())
        ports.put("control", facts.controlPort())
        if let security = facts.security {
            ports.put("tls", security.port())
            ports.put("proxy", security.proxyPort() == 0 ? nil : security.proxyPort())
        }
        var json = PayloadWriter()
        json.put("version", facts.version)
        json.put("ports", written: ports.finish())
        json.put("dataDirectory", facts.dataDirectory?.path)
        json.put("rootCertificate", facts.dataDirectory?.rootCertificate)
        json.put("rootFingerprint", shop.signingChain.rootFingerprint)
        return json.finish()
    }
}
