import Logging
import TillStorage

/// Deliveries that were skipped because they cannot be read. They stay in the store and do not delay other deliveries.
struct SkippedRows {
    private var reasons: Set<String> = []

    /// The number of deliveries that were skipped since the server started.
    var count: Int { reasons.count }

    /// Logs damaged rows; each row is logged only once.
    mutating func report(_ rows: [DamagedRow], to logger: Logger) {
        for row in rows where reasons.insert(row.reason).inserted {
            logger.error("a delivery was skipped", metadata: ["cause": "\(row.logText)"])
        }
    }
}
