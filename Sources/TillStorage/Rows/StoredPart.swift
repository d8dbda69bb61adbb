import TillCore

/// A part of a store's complete contents at one moment.
package enum StoredPart: Sendable {
    /// The first counter value that was never reserved. Always the first part.
    case highWater(Int64)
    /// Rows of a table, ordered so that each row follows those it refers to.
    case rows([TableRow], ShopTable)
    /// A snapshot; its rows follow.
    case snapshot(Snapshot)
    /// Rows of a snapshot's table, in order.
    case rowsOfSnapshot([TableRow], ShopTable, Snapshot)
}
