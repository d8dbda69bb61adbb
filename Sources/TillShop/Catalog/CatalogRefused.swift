import TillJSON

/// Rejects a catalog as a whole, and lists every fault.
package struct CatalogRefused: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one, in the order of the document.
    package let faults: [JSONFault]

    /// A refusal for some faults.
    package init(faults: [JSONFault]) {
        precondition(!faults.isEmpty, "a catalog without a fault is not rejected")
        self.faults = faults
    }

    /// A refusal for one fault.
    package init(path: String, expected: String, found: String) {
        self.init(faults: [JSONFault(path: path, expected: expected, found: found)])
    }

    /// A heading, and a line for each fault.
    package var description: String {
        let heading = faults.count == 1 ? "one thing is wrong" : "\(faults.count) things are wrong"
        return "The catalog was rejected as a whole; \(heading) with it:\n"
            + faults.map { "  \($0)" }.joined(separator: "\n")
    }

    /// Parses the JSON of a catalog.
    static func tree(of bytes: [UInt8]) throws(CatalogRefused) -> JSONTree {
        if bytes.isEmpty { throw CatalogRefused(path: "$", expected: "a JSON object", found: "an empty file") }
        if bytes.starts(with: "version https://git-lfs".utf8) {
            let found = "a Git LFS pointer instead of the file; `git lfs pull` fetches the file itself"
            throw CatalogRefused(path: "$", expected: "a JSON object", found: found)
        }
        do {
            return try JSONTree.parse(bytes)
        } catch {
            throw CatalogRefused(faults: error.faults)
        }
    }
}
