/// One thing that is wrong with a catalogue, at one place of it.
package struct CatalogFault: Codable, Equatable, Sendable, CustomStringConvertible {
    /// Where: a JSON path such as `$.subscriptionGroups[0].subscriptions[2].displayPrice`.
    package let path: String
    /// What would have been accepted there.
    package let expected: String
    /// What was there instead.
    package let found: String

    /// A fault at a place.
    package init(path: String, expected: String, found: String) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// The fault in one line.
    package var description: String { "\(path): expected \(expected), found \(found)" }
}

/// A catalogue is taken as a whole or refused as a whole; this names everything that stands in the way.
package struct CatalogRefused: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one, in the order in which the document was read.
    package let faults: [CatalogFault]

    /// A refusal for some faults.
    package init(faults: [CatalogFault]) {
        precondition(!faults.isEmpty, "a catalogue without a fault is not refused")
        self.faults = faults
    }

    /// A refusal for one fault.
    package init(path: String, expected: String, found: String) {
        self.init(faults: [CatalogFault(path: path, expected: expected, found: found)])
    }

    /// A heading, and a line for each fault.
    package var description: String {
        let heading = faults.count == 1 ? "one thing is wrong" : "\(faults.count) things are wrong"
        return "The catalogue was refused as a whole; \(heading) with it:\n"
            + faults.map { "  \($0)" }.joined(separator: "\n")
    }
}
