import Foundation
import Logging
import TillCore
import TillJSON

/// Writes each log line as a JSON object: `time`, `level`, `message`, `logger`, then the metadata by name.
///
/// Every line is valid JSON and has no line break in it. Wrap this handler in `BoundedLogHandler`, which limits the
/// length of the values.
package struct JSONLogHandler: LogHandler {
    /// The lowest level of a line that is written.
    package var logLevel = Logger.Level.info
    /// The metadata of every line.
    package var metadata: Logger.Metadata = [:]
    /// Adds metadata to every line.
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let now: @Sendable () -> Date
    private let write: @Sendable ([UInt8]) -> Void

    /// The names of a line's own values. Metadata with one of these names is written as `metadata.NAME`.
    private static let reserved: Set = ["time", "level", "message", "logger"]

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: the name of the logger.
    ///   - provider: adds metadata to every line.
    ///   - now: real time; tests pass a clock of their own.
    ///   - write: writes a line with its line break; by default, to standard error.
    package init(
        label: String,
        metadataProvider provider: Logger.MetadataProvider? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable ([UInt8]) -> Void = LogWriter.standardError.write
    ) {
        self.label = label
        metadataProvider = provider
        self.now = now
        self.write = write
    }

    /// One metadata value of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line. The metadata of the event takes precedence over that of the provider, and this over that of the
    /// logger.
    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let given = event.metadata { all.merge(given) { _, new in new } }
        var members = [
            JSONTree.Member("time", .string(time)), JSONTree.Member("level", .string(event.level.rawValue)),
            JSONTree.Member("message", .string(event.message.description)), JSONTree.Member("logger", .string(label)),
        ]
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            members.append(JSONTree.Member(Self.reserved.contains(key) ? "metadata.\(key)" : key, Self.tree(value)))
        }
        var line: [UInt8] = []
        line.reserveCapacity(512)
        JSONTree.object(members).append(to: &line)
        line.append(UInt8(ascii: "\n"))
        write(line)
    }

    /// Real time in UTC, with milliseconds.
    private var time: String {
        let milliseconds = Int64((now().timeIntervalSince1970 * 1_000).rounded(.down))
        let fraction = String((milliseconds % 1_000 + 1_000) % 1_000)
        let text = Timestamp(milliseconds: milliseconds).iso8601
        return "\(text.dropLast()).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)Z"
    }

    private static func tree(_ value: Logger.Metadata.Value) -> JSONTree {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let number as Int): .number(String(number))
        case .stringConvertible(let value): .string(value.description)
        case .array(let values): .array(values.map(tree))
        case .dictionary(let values):
            .object(values.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, tree($0.value)) })
        }
    }
}
