import Logging
import TillStorage

/// Deliveries that were skipped because they cannot be read. They stay in the store and delay no other.
struct SkippedRows {
    private var reasons: Set<String> = []

    /// How many were skipped since the start.
    var count: Int { reasons.count }

    /// Logs rows, each once.
    mutating func report(_ rows: [DamagedRow], to logger: Logger) {
        for row in rows where reasons.insert(row.reason).inserted {
            logger.error("a delivery was skipped", metadata: ["cause": "\(row.logText)"])
        }
    }
}
