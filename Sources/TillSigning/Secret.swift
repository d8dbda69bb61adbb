/// Text that must not be shown, such as a private key as PEM.
///
/// If a secret is printed, interpolated, dumped or logged, only the word `redacted` appears. Code that needs the text
/// uses ``exposed``; the distinct name makes every such use easy to find.
package struct Secret: Sendable, Equatable {
    /// The text itself, for a file of mode 0600 or for an operator who requested it.
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
