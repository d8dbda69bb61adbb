import Foundation

/// A table of the documentation whose rows are numbered, such as that of every reason for a 401.
enum DocumentedTable {
    /// The cells of each row of the table in a section, by the row's number in the first cell.
    static func rows(of page: String, under heading: String) throws -> [Int: [String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = try String(contentsOf: root.appending(path: "docs/\(page)"), encoding: .utf8)
        let section = text.components(separatedBy: "## \(heading)\n").dropFirst().first ?? ""
        var rows: [Int: [String]] = [:]
        for line in section.components(separatedBy: "\n## ")[0].split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if let number = cells.first.flatMap({ Int($0) }) { rows[number] = cells }
        }
        return rows
    }

    /// Whether a text begins with a documented text, in which `…` stands for any characters.
    static func begins(_ text: String, with documented: String) -> Bool {
        var rest = Substring(text)
        for (index, part) in documented.components(separatedBy: "…").enumerated() {
            guard index > 0 else {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
                continue
            }
            guard !rest.isEmpty,
                let found = part.isEmpty ? rest.endIndex..<rest.endIndex : rest.dropFirst().range(of: part)
            else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
