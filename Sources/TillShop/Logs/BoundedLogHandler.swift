import Logging
import TillSigning
import TillStorage

/// Limits the length of every text in a log line, so that no library can fill the log with long values. For a
/// log that is text, it also replaces characters that begin a line or control a terminal, so that no client can forge
/// a line.
package struct BoundedLogHandler: LogHandler {
    private var handler: any LogHandler
    private let isText: Bool
    /// The metadata as it was set. The wrapped handler gets it with each line, because most requests write no line, and
    /// Hummingbird gives each request a logger with its id.
    private var unbounded: Logger.Metadata

    /// - Parameters:
    ///   - handler: the handler that writes the log lines.
    ///   - isText: false if the handler itself writes each character so that it cannot be taken for another line.
    package init(_ handler: any LogHandler, isText: Bool = true) {
        self.handler = handler
        self.isText = isText
        unbounded = handler.metadata
    }

    /// The level of the wrapped handler.
    package var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    /// The metadata of every line, with each value cut to the maximum length.
    package var metadata: Logger.Metadata {
        get { bounded(unbounded) }
        set { unbounded = newValue }
    }

    /// The provider of the wrapped handler.
    package var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    /// One metadata value of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { unbounded[key].map(bounded) }
        set { unbounded[key] = newValue }
    }

    /// Cuts a log line and passes it to the wrapped handler. An error in the event becomes the metadata value `cause`.
    package func log(event: LogEvent) {
        var event = event
        event.message = "\(bounded(event.message.description))"
        event.metadata = event.metadata.map(bounded)
        if let error = event.error {
            event.metadata = (event.metadata ?? [:]).merging(["cause": "\(bounded(error.logText))"]) { present, _ in
                present
            }
            event.error = nil
        }
        var handler = handler
        handler.metadata = bounded(unbounded)
        handler.log(event: event)
    }

    private func bounded(_ metadata: Logger.Metadata) -> Logger.Metadata { metadata.mapValues(bounded) }

    private func bounded(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .string(let text): .string(bounded(text))
        case .stringConvertible(let value) where type(of: value) == Int.self: .stringConvertible(value)
        case .stringConvertible(let value): .string(bounded(value.description))
        case .array(let values): .array(values.map(bounded))
        case .dictionary(let values): .dictionary(bounded(values))
        }
    }

    private func bounded(_ text: String) -> String { Self.bounded(text, isText: isText) }

    private static func bounded(_ text: String, isText: Bool) -> String {
        isText ? visible(short(text)) : short(text)
    }

    private static func visible(_ text: String) -> String {
        // Most texts are visible ASCII.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\t"]
        let line = String.UnicodeScalarView(text.unicodeScalars.map { breaks.contains($0) ? " " : $0 })
        return Words.printable(String(line))
    }

    private static func short(_ text: String) -> String {
        // Also limits the bytes, because one character can have any number of combining marks.
        guard text.utf8.count > LogText.maxCharacters else { return text }
        let count = text.count
        let start = text.prefix(LogText.maxCharacters)
        guard count > LogText.maxCharacters || start.utf8.count > maxBytes else { return text }
        return "\(String(start).cut(toBytes: maxBytes))… (\(count) characters)"
    }

    /// The maximum length of a text in bytes: as long as the longest UTF-8 of that many Unicode scalars.
    private static let maxBytes = 4 * LogText.maxCharacters
}
