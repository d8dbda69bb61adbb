import Logging
import TillStorage

/// Passes log lines on with every text in them cut to a length, so that no library can fill the log with the values
/// that it holds.
package struct BoundedLogHandler: LogHandler {
    private var handler: any LogHandler

    /// - Parameter handler: writes the lines.
    package init(_ handler: any LogHandler) { self.handler = handler }

    /// That of the handler behind.
    package var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    /// What every line carries, cut to a length.
    package var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = Self.bounded(newValue) }
    }

    /// That of the handler behind.
    package var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    /// One value that every line carries.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue.map(Self.bounded) }
    }

    /// Cuts a line and passes it on; an error in it says its name.
    package func log(event: LogEvent) {
        var event = event
        event.message = "\(Self.bounded(event.message.description))"
        event.metadata = event.metadata.map(Self.bounded)
        if let error = event.error {
            event.metadata = (event.metadata ?? [:]).merging(["cause": "\(error.logText)"]) { present, _ in present }
            event.error = nil
        }
        handler.log(event: event)
    }

    private static func bounded(_ metadata: Logger.Metadata) -> Logger.Metadata { metadata.mapValues(bounded) }

    private static func bounded(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .string(let text): .string(bounded(text))
        case .stringConvertible(let value): .string(bounded(value.description))
        case .array(let values): .array(values.map(bounded))
        case .dictionary(let values): .dictionary(bounded(values))
        }
    }

    private static func bounded(_ text: String) -> String {
        text.count <= LogText.mostCharacters
            ? text : "\(text.prefix(LogText.mostCharacters))… (\(text.count) characters)"
    }
}
