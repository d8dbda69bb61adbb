import TillCore

/// A part of all that a store holds, as it stood at one moment.
package enum StoredPart: Sendable {
    /// The first counter value that was never reserved. Comes first.
    case highWater(Int64)
    /// Rows of a table, in an order in which each row comes behind those that it names.
    case rows([TableRow], ShopTable)
    /// A snapshot; its rows follow.
    case snapshot(Snapshot)
    /// Rows of a snapshot's table, in their order.
    case rowsOfSnapshot([TableRow], ShopTable, Snapshot)
}
