/// Text that must not be shown, such as a private key as PEM.
///
/// When it is printed, interpolated, dumped or logged, only a redaction notice appears. Code that needs the text uses
/// ``exposed``, which is easy to find in a review.
package struct Secret: Sendable, Equatable {
    /// The text itself, for a file of mode 0600 or an operator who asked for it.
    package let exposed: String

    /// Marks `text` as secret.
    package init(_ text: String) {
        exposed = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "redacted" }
    package var debugDescription: String { "redacted" }
    /// Empty, so that `dump` shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
