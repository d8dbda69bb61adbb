/// What a token of the control API permits. Each scope also permits everything that the scopes before it permit.
public enum ControlScope: String, Codable, CaseIterable, Comparable, Sendable {
    /// Reading the server's metrics.
    case metrics
    /// Reading everything but secrets.
    case read
    /// Changing customers, clocks, catalogs, endpoints, settings and faults.
    case operate
    /// Keys, tokens, certificates, backups, the audit log, and everything that replaces all data.
    case administer

    /// Whether a scope permits less than another.
    public static func < (left: ControlScope, right: ControlScope) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
