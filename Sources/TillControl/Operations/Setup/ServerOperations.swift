/// Shows the server's version, ports and data directory, and how clients reach it under the App Store's host names.
public struct GetStatus: ControlRequest {
    public typealias Answer = StatusInfo
    public static let operation = ControlOperation(.get, "/v1/status", tag: .server)

    public init() {}
}

/// Backs up all data to a new folder while the server runs. Works with SQLite and PostgreSQL.
public struct CreateBackup: ControlRequest {
    public typealias Answer = BackupInfo
    public static let operation = ControlOperation(.post, "/v1/backup", tag: .server, scope: .administer)

    /// A folder on the server's machine that does not exist yet.
    public var to: String

    public init(to: String) {
        self.to = to
    }
}

/// Deletes notifications older than the retention period. Keeps those with pending deliveries.
public struct PruneNotifications: ControlRequest {
    public typealias Answer = PruneInfo
    public static let operation = ControlOperation(.delete, "/v1/notifications", tag: .server, scope: .administer)
    public static let limits = [ControlLimit.range(CodingKeys.days, 0...36_500)]

    /// The retention period in days, instead of the server's setting; 0 deletes all.
    public var days: Int?
    /// Only counts what would be deleted.
    public var dryRun: Bool?

    public init(days: Int? = nil, dryRun: Bool? = nil) {
        self.days = days
        self.dryRun = dryRun
    }
}

/// The status of the server.
public struct StatusInfo: ControlObject {
    /// Till's version.
    public var version: String
    /// The ports by listener.
    public var ports: PortsInfo
    /// The path of the data directory; absent if the server stores nothing on disk.
    public var dataDirectory: String?
    /// The path of the root certificate's file; absent if the server stores nothing on disk.
    public var rootCertificate: String?
    /// The SHA-256 fingerprint of the root certificate, hexadecimal.
    public var rootFingerprint: String
    /// How clients reach the server under the App Store's host names; absent while TLS is off.
    public var tls: TLSInfo?

    public init(
        version: String,
        ports: PortsInfo,
        dataDirectory: String? = nil,
        rootCertificate: String? = nil,
        rootFingerprint: String,
        tls: TLSInfo? = nil
    ) {
        self.version = version
        self.ports = ports
        self.dataDirectory = dataDirectory
        self.rootCertificate = rootCertificate
        self.rootFingerprint = rootFingerprint
        self.tls = tls
    }
}

/// The ports of the server.
public struct PortsInfo: ControlObject {
    /// The port of the production environment.
    public var production: Int
    /// The port of the sandbox environment.
    public var sandbox: Int
    /// The port of the control API.
    public var control: Int
    /// The TLS port; absent while TLS is off.
    public var tls: Int?
    /// The port of the proxy; absent without a proxy.
    public var proxy: Int?

    public init(production: Int, sandbox: Int, control: Int, tls: Int? = nil, proxy: Int? = nil) {
        self.production = production
        self.sandbox = sandbox
        self.control = control
        self.tls = tls
        self.proxy = proxy
    }
}

/// A backup.
public struct BackupInfo: ControlObject {
    /// The path of the folder.
    public var directory: String
    /// The tables of the backup.
    public var tables: [BackupTableInfo]

    public init(directory: String, tables: [BackupTableInfo]) {
        self.directory = directory
        self.tables = tables
    }
}

/// A table of the store or of a snapshot in a backup.
public struct BackupTableInfo: ControlObject {
    /// The name of the table.
    public var table: String
    /// The number of rows.
    public var rows: Int
    /// The checksum of all rows, hexadecimal.
    public var sha256: String

    public init(table: String, rows: Int, sha256: String) {
        self.table = table
        self.rows = rows
        self.sha256 = sha256
    }
}

/// The numbers of deleted objects; with dryRun, of objects that would be deleted.
public struct PruneInfo: ControlObject {
    /// True if the operation only counted.
    public var dryRun: Bool
    /// The number of notifications.
    public var notifications: Int
    /// The number of deliveries of these notifications.
    public var deliveries: Int
    /// The number of old notifications that are kept because deliveries are pending.
    public var pending: Int
    /// The retention period of production in days; 0 means forever.
    public var productionDays: Int
    /// The retention period of the sandbox in days; 0 means forever.
    public var sandboxDays: Int

    public init(
        dryRun: Bool,
        notifications: Int,
        deliveries: Int,
        pending: Int,
        productionDays: Int,
        sandboxDays: Int
    ) {
        self.dryRun = dryRun
        self.notifications = notifications
        self.deliveries = deliveries
        self.pending = pending
        self.productionDays = productionDays
        self.sandboxDays = sandboxDays
    }
}

/// How clients reach the server with TLS: the port, the proxy, the host names and the root certificate.
public struct TLSInfo: ControlObject {
    /// The address of the TLS port and the proxy.
    public var address: String
    /// The TLS port.
    public var port: Int
    /// The port of the proxy; absent without a proxy.
    public var proxyPort: Int?
    /// The host names and IP addresses in the server's certificate.
    public var names: [String]
    /// The root certificate that TLS clients must trust, PEM.
    public var rootCertificate: String
    /// The SHA-256 fingerprint of this root, hexadecimal.
    public var rootFingerprint: String
    /// The file with this root on the server's machine.
    public var rootFile: String
    /// A file with the trusted roots of the server's machine and this root.
    public var bundleFile: String
    /// A JKS trust store file with the same roots, for Java.
    public var javaTrustStoreFile: String
    /// The end of validity of the server's certificate, in milliseconds since 1970.
    public var serverCertificateEndDate: Timestamp

    public init(
        address: String,
        port: Int,
        proxyPort: Int? = nil,
        names: [String],
        rootCertificate: String,
        rootFingerprint: String,
        rootFile: String,
        bundleFile: String,
        javaTrustStoreFile: String,
        serverCertificateEndDate: Timestamp
    ) {
        self.address = address
        self.port = port
        self.proxyPort = proxyPort
        self.names = names
        self.rootCertificate = rootCertificate
        self.rootFingerprint = rootFingerprint
        self.rootFile = rootFile
        self.bundleFile = bundleFile
        self.javaTrustStoreFile = javaTrustStoreFile
        self.serverCertificateEndDate = serverCertificateEndDate
    }
}
