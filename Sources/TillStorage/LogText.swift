import Foundation

extension Error {
    /// The text for an error in a log line or a message: the error's own description, or its type and case. The text
    /// never contains Swift's reflected description, which may include any value, such as a key. It has at most 1,000
    /// characters and is one line.
    package var logText: String {
        let text =
            switch self {
            case let error as DecodingError: Self.words(of: error)
            case let error as CocoaError: error.localizedDescription
            case let error as POSIXError: String(cString: strerror(error.code.rawValue))
            case let error as any CustomStringConvertible: error.description
            case let error as any LocalizedError: error.errorDescription ?? Self.name(of: error)
            default: Self.name(of: self)
            }
        let line = text.replacing("\n", with: " ").replacing("\r", with: " ")
        return line.count <= LogText.maxCharacters ? line : line.prefix(LogText.maxCharacters) + "…"
    }

    /// The type of the error. For an enumeration, also the case without its associated values.
    private static func name(of error: some Error) -> String {
        let type = String(describing: type(of: error))
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        // The description of a case without associated values is the name of the case.
        guard let label = mirror.children.first?.label else { return "\(type).\(String(describing: error))" }
        return "\(type).\(label)"
    }

    /// The position and the reason of a decoding error. The text contains no values from the document.
    private static func words(of error: DecodingError) -> String {
        func place(_ context: DecodingError.Context, _ last: String? = nil) -> String {
            let path =
                context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } + [last].compactMap(\.self)
            return "$" + path.map { ".\($0)" }.joined()
        }
        return switch error {
        case .typeMismatch(let type, let context): "\(place(context)) is no \(type)"
        case .valueNotFound(let type, let context): "\(place(context)) is null and must be \(type)"
        case .keyNotFound(let key, let context): "\(place(context, key.stringValue)) is missing"
        case .dataCorrupted(let context): "\(place(context)) cannot be read"
        @unknown default: "the document cannot be read"
        }
    }
}

/// The limits of log lines.
package enum LogText {
    /// The maximum length of one message, and of each value that follows it.
    package static let maxCharacters = 1_000
}
