import Foundation

extension Error {
    /// What a log line or a message says about an error: the error's own description, or its type and case. It never
    /// uses Swift's reflected text, which may contain any value, such as a key. At most a thousand characters, always
    /// one line.
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

    /// The type, and the case of an enumeration without its associated values.
    private static func name(of error: some Error) -> String {
        let type = String(describing: type(of: error))
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        // The description of a case without values is its name.
        guard let label = mirror.children.first?.label else { return "\(type).\(String(describing: error))" }
        return "\(type).\(label)"
    }

    /// Where decoding a document failed, and why; no values from the document.
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

/// Limits of what a log line holds.
package enum LogText {
    /// For one message, and for each value beside it.
    package static let maxCharacters = 1_000
}
