import TillCore

/// A part of the complete contents of a database at one moment.
package enum StoredPart: Sendable {
    /// The lowest counter value that was never reserved. It is always the first part.
    case highWater(Int64)
    /// Rows of a table. Each row comes after the rows that it refers to.
    case rows([TableRow], ShopTable)
    /// Records of the audit log, oldest first.
    case audit([AuditRecord])
    /// A snapshot. Its rows follow in later parts.
    case snapshot(Snapshot)
    /// Rows of a table in a snapshot, in the order of their positions.
    case rowsOfSnapshot([TableRow], ShopTable, Snapshot)
}
