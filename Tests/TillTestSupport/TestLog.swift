import Logging
import Synchronization

/// Collects the lines that a shop logs.
package final class TestLog: Sendable {
    private let lines = Mutex<[String]>([])

    /// The logged lines, oldest first, each with its metadata.
    package var errors: [String] { lines.withLock { $0 } }

    /// Creates an empty log.
    package init() {}

    /// A logger that writes errors, and optionally warnings, to this log.
    package func logger(withWarnings: Bool = false) -> Logger { logger(from: withWarnings ? .warning : .error) }

    /// A logger that writes lines of at least a level to this log.
    package func logger(from level: Logger.Level) -> Logger {
        var logger = Logger(label: "test", factory: { _ in Handler(log: self) })
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let log: TestLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
