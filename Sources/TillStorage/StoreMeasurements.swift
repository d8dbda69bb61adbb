import TillCore

/// The size of a store.
package struct StoreSize: Equatable, Sendable {
    /// The bytes of the database, without its write-ahead log.
    package let bytes: Int64
    /// The bytes of the write-ahead log; nil if the engine does not know them.
    package let walBytes: Int64?

    /// The size of a store.
    package init(bytes: Int64, walBytes: Int64?) {
        self.bytes = bytes
        self.walBytes = walBytes
    }
}

/// The connections of an engine with a pool.
package struct ConnectionUse: Equatable, Sendable {
    /// The connections that run a statement.
    package let inUse: Int
    /// The maximum number of connections.
    package let limit: Int
    /// The statements that wait for a connection.
    package let waiting: Int

    /// The connections of a pool.
    package init(inUse: Int, limit: Int, waiting: Int) {
        self.inUse = inUse
        self.limit = limit
        self.waiting = waiting
    }
}

/// The pending deliveries on a clock.
package struct PendingDeliveries: Equatable, Sendable {
    /// The clock of the deliveries.
    package let clock: ClockName
    /// The number of pending deliveries, which is at least one.
    package let count: Int
    /// The earliest signing date of their notifications.
    package let oldest: Timestamp

    /// The pending deliveries on a clock.
    package init(clock: ClockName, count: Int, oldest: Timestamp) {
        self.clock = clock
        self.count = count
        self.oldest = oldest
    }
}
