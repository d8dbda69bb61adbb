import TillControl
import TillShop
import TillSigning

/// Operations that show the server's status, and back up its data.
extension ControlAPI {
    var serverRoutes: [ControlRoute] {
        [
            ControlRoute(GetStatus.self) { _ in
                StatusInfo(
                    version: facts.version,
                    ports: facts.ports,
                    dataDirectory: facts.dataDirectory?.path,
                    rootCertificate: facts.dataDirectory?.rootCertificate,
                    rootFingerprint: shop.signingChain.rootFingerprint,
                    tls: facts.security.map { TLSInfo($0) }
                )
            },
            ControlRoute(CreateBackup.self) { try await createBackup(in: $0.to) },
        ]
    }

    private func createBackup(in target: String) async throws -> BackupInfo {
        guard let directory = facts.dataDirectory, let makeStore = facts.makeStore else {
            throw ControlError.conflict("no_directory", "This server stores nothing on disk.")
        }
        do {
            let manifest = try await Backup.write(
                shop,
                directory,
                makingStore: makeStore,
                version: facts.version,
                to: target
            )
            return BackupInfo(
                directory: target,
                tables: manifest.parts.map { BackupTableInfo(table: $0.name, rows: $0.rows, sha256: $0.sha256) }
            )
        } catch let refused as BackupRefused {
            throw ControlError.conflict("backup_refused", refused.description)
        }
    }
}

extension ServerFacts {
    fileprivate var ports: PortsInfo {
        PortsInfo(
            production: productionPort(),
            sandbox: sandboxPort(),
            control: controlPort(),
            tls: security?.port(),
            proxy: security?.openProxyPort
        )
    }
}
