import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// Operations that show the server's status, and back up its data.
extension ControlAPI {
    var serverRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/status",
                id: "getStatus",
                tag: "server",
                summary: "Shows the server's version, ports and data directory.",
                response: .object(
                    "The status of the server.",
                    [
                        Schema.required("version", .string("Till's version.")),
                        Schema.required(
                            "ports",
                            .anyObject(
                                "The ports by listener: production, sandbox, control; tls and proxy if on."
                            )
                        ),
                        Schema.optional("dataDirectory", .string("The path of the data directory.")),
                        Schema.optional("rootCertificate", .string("The path of the root certificate's file.")),
                        Schema.required(
                            "rootFingerprint",
                            .string("The SHA-256 fingerprint of the root certificate, hexadecimal.")
                        ),
                    ]
                )
            ) { _ in status() },
            ControlRoute(
                method: .post,
                path: "/v1/backup",
                id: "backup",
                tag: "server",
                summary: "Backs up all data to a new folder while the server runs. Works with SQLite and PostgreSQL.",
                request: .object(
                    "The target of the backup.",
                    [Schema.required("to", .string("A folder on the server's machine that does not exist yet."))]
                ),
                response: .object(
                    "The backup.",
                    [
                        Schema.required("directory", .string("The path of the folder.")),
                        Schema.required(
                            "tables",
                            .array(
                                "The tables of the backup.",
                                of: .object(
                                    "A table of the store or of a snapshot.",
                                    [
                                        Schema.required("table", .string("The name of the table.")),
                                        Schema.required("rows", .integer("The number of rows.")),
                                        Schema.required("sha256", .string("The checksum of all rows, hexadecimal.")),
                                    ]
                                )
                            )
                        ),
                    ]
                )
            ) { exchange in
                guard let directory = facts.dataDirectory, let makeStore = facts.makeStore else {
                    throw ControlError.conflict("no_directory", "This server stores nothing on disk.")
                }
                let target = exchange.body.text("to") ?? ""
                let manifest: BackupManifest
                do {
                    manifest = try await Backup.write(
                        shop,
                        directory,
                        makingStore: makeStore,
                        version: facts.version,
                        to: target
                    )
                } catch let refused as BackupRefused {
                    throw ControlError.conflict("backup_refused", refused.description)
                }
                var json = JSONWriter()
                json.put("directory", target)
                json.put("tables", objects: manifest.parts.map(Self.json))
                return json.finish()
            },
        ]
    }

    private static func json(_ part: BackupManifest.Part) -> [UInt8] {
        var json = JSONWriter()
        json.put("table", part.name)
        json.put("rows", part.rows)
        json.put("sha256", part.sha256)
        return json.finish()
    }

    private func status() -> [UInt8] {
        var ports = JSONWriter()
        ports.put("production", facts.productionPort())
        ports.put("sandbox", facts.sandboxPort())
        ports.put("control", facts.controlPort())
        if let security = facts.security {
            ports.put("tls", security.port())
            ports.put("proxy", security.proxyPort() == 0 ? nil : security.proxyPort())
        }
        var json = JSONWriter()
        json.put("version", facts.version)
        json.put("ports", written: ports.finish())
        json.put("dataDirectory", facts.dataDirectory?.path)
        json.put("rootCertificate", facts.dataDirectory?.rootCertificate)
        json.put("rootFingerprint", shop.signingChain.rootFingerprint)
        return json.finish()
    }
}
