/// A fault in a catalog, with its location.
package struct CatalogFault: Codable, Equatable, Sendable, CustomStringConvertible {
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

/// Rejects a catalog as a whole, and lists every fault.
package struct CatalogRefused: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one, in the order of the document.
    package let faults: [CatalogFault]

    /// A refusal for some faults.
    package init(faults: [CatalogFault]) {
        precondition(!faults.isEmpty, "a catalog without a fault is not rejected")
        self.faults = faults
    }

    /// A refusal for one fault.
    package init(path: String, expected: String, found: String) {
        self.init(faults: [CatalogFault(path: path, expected: expected, found: found)])
    }

    /// A heading, and a line for each fault.
    package var description: String {
        let heading = faults.count == 1 ? "one thing is wrong" : "\(faults.count) things are wrong"
        return "The catalog was rejected as a whole; \(heading) with it:\n"
            + faults.map { "  \($0)" }.joined(separator: "\n")
    }
}
