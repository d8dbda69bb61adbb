/// Why a text is rejected: its first syntax error, a limit that it exceeds, or every repeated key.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one, in the order of the text.
    package let faults: [JSONFault]
    /// The first fault without an excerpt of the text, which may be secret.
    package let withoutExcerpt: JSONFault

    init(faults: [JSONFault], withoutExcerpt: JSONFault) {
        self.faults = faults
        self.withoutExcerpt = withoutExcerpt
    }

    init(_ fault: JSONFault) {
        self.init(faults: [fault], withoutExcerpt: fault)
    }

    /// The faults in one line.
    package var description: String { faults.map(\.description).joined(separator: "; ") }
}
