/// A fault in a document, with its location.
package struct JSONFault: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The location: a JSON path such as `$.subscriptionGroups[0].subscriptions[2].displayPrice`.
    package let path: String
    /// The expected value.
    package let expected: String
    /// The actual value.
    package let found: String

    /// A fault at a location.
    package init(path: String, expected: String, found: String) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// The fault in one line.
    package var description: String { "\(path): expected \(expected), found \(found)" }
}
