/// Text that must not be seen: a private key as PEM.
///
/// However it is printed, interpolated, dumped or logged, it says only that it is redacted. Whoever needs the text
/// asks for ``exposed``, which is easy to find in a review.
package struct Secret: Sendable, Equatable {
    /// The text itself. For a file of mode 0600, or for the operator who asked for it.
    package let exposed: String

    /// Marks `text` as secret.
    package init(_ text: String) {
        exposed = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "redacted" }
    package var debugDescription: String { "redacted" }
    /// Empty, so that `dump` finds nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
