/// Text in aligned columns.
enum Table {
    /// A list with headings.
    ///
    /// - Parameters:
    ///   - empty: the text for a list without rows.
    ///   - next: where the next page starts.
    static func list(
        _ headings: [String],
        _ rows: [[String?]],
        empty: String,
        next: String? = nil
    ) -> String {
        let more = next.map { "\nMore: \(CommandWords.repeated(after: $0))" } ?? ""
        if rows.isEmpty { return empty + more }
        let lines = aligned([headings] + rows.map { row in row.map { $0 ?? "" } })
        return ([lines[0].bold] + lines.dropFirst()).joined(separator: "\n") + more
    }

    /// Names and values in two columns, without the missing values.
    static func values(_ lines: [(String, String?)]) -> String {
        aligned(lines.compactMap { name, value in value.map { [name, $0] } }).joined(separator: "\n")
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }
}
