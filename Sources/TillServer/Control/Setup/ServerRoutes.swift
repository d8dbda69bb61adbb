import Foundation
import Logging
import TillControl
import TillShop
import TillSigning
import TillStorage

/// Operations that show the server's status, back up its data, and delete old notifications.
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
            // The operation itself takes the lock, for each page of notifications.
            ControlRoute(PruneNotifications.self, waitsForRestore: false) { call in
                let isDryRun = call.dryRun ?? false
                let report = try await shop.retention.prune(olderThan: call.days, isDryRun: isDryRun)
                return PruneInfo(
                    dryRun: isDryRun,
                    notifications: report.notifications,
                    deliveries: report.deliveries,
                    pending: report.pending,
                    productionDays: shop.retention.days(in: .production),
                    sandboxDays: shop.retention.days(in: .sandbox)
                )
            },
        ]
    }

    private func createBackup(in target: String) async throws -> BackupInfo {
        guard let directory = facts.dataDirectory, let makeStore = facts.makeStore else {
            throw ControlError.conflict("no_directory", "This server stores nothing on disk.")
        }
        let start = ContinuousClock.now
        let audit = PendingAudit.current?.record
        var metadata: Logger.Metadata = ["directory": "\(target)", "by": "\(audit?.caller ?? "the server")"]
        metadata["request"] = audit.map { "\($0.id)" }
        do {
            let manifest = try await Backup.write(
                shop.storage,
                directory,
                shop.locks,
                makingStore: makeStore,
                version: facts.version,
                at: shop.wallClock(),
                to: target
            )
            let duration = ContinuousClock.now - start
            metadata["milliseconds"] = .stringConvertible(Int(duration / .milliseconds(1)))
            shop.logger.notice("a backup was made", metadata: metadata)
            return BackupInfo(
                directory: target,
                tables: manifest.parts.map { BackupTableInfo(table: $0.name, rows: $0.rows, sha256: $0.sha256) }
            )
        } catch let refused as BackupRefused {
            metadata["cause"] = "\(refused.logText)"
            shop.logger.warning("a backup was refused", metadata: metadata)
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

/// What clients need to reach the server over TLS under the App Store's host names.
package struct SecurityFacts: Sendable {
    /// The address on which the TLS port and the proxy listen.
    package var host: String
    /// The TLS port; 0 until it listens.
    package var port: @Sendable () -> Int
    /// The proxy's port; 0 without a proxy.
    package var proxyPort: @Sendable () -> Int
    /// The host names in the server's certificate.
    package var names: [String]
    /// The root certificate of TLS, PEM.
    package var rootCertificate: String
    /// The SHA-256 fingerprint of the root certificate, hexadecimal.
    package var rootFingerprint: String
    /// The end of validity of the server's certificate.
    package var notValidAfter: Date
    /// The files for clients on the server's machine.
    package var files: TLSFiles

    /// Collects the facts for `GET /v1/status`.
    package init(
        host: String,
        port: @escaping @Sendable () -> Int,
        proxyPort: @escaping @Sendable () -> Int,
        names: [String],
        rootCertificate: String,
        rootFingerprint: String,
        notValidAfter: Date,
        files: TLSFiles
    ) {
        self.host = host
        self.port = port
        self.proxyPort = proxyPort
        self.names = names
        self.rootCertificate = rootCertificate
        self.rootFingerprint = rootFingerprint
        self.notValidAfter = notValidAfter
        self.files = files
    }
}

extension SecurityFacts {
    /// The proxy's port; nil without a proxy.
    var openProxyPort: Int? { proxyPort() == 0 ? nil : proxyPort() }
}

extension TLSInfo {
    init(_ facts: SecurityFacts) {
        self.init(
            address: facts.host,
            port: facts.port(),
            proxyPort: facts.openProxyPort,
            names: facts.names,
            rootCertificate: facts.rootCertificate,
            rootFingerprint: facts.rootFingerprint,
            rootFile: facts.files.root,
            bundleFile: facts.files.bundle,
            javaTrustStoreFile: facts.files.javaTrustStore,
            serverCertificateEndDate: Timestamp(
                milliseconds: Int64(facts.notValidAfter.timeIntervalSince1970 * 1_000)
            )
        )
    }
}
