/// A value that a list shows in a row.
protocol TableRow: Encodable {
    /// The headings of the columns.
    static var headings: [String] { get }
    /// The text for a list without rows.
    static var empty: String { get }
    /// The texts of the columns; nil for an empty cell.
    var cells: [String?] { get }
}

/// An answer that a command prints as a table.
protocol TableAnswer: Encodable {
    /// The type of the rows.
    associatedtype Row: TableRow
    /// The rows, from top to bottom.
    var rows: [Row] { get }
    /// Where the next page starts; nil for the last page.
    var next: String? { get }
    /// The text for a list without rows.
    var empty: String { get }
}

extension TableRow {
    /// The command says which customer has none.
    static var empty: String { "" }
}

extension TableAnswer {
    var next: String? { nil }
    var empty: String { Row.empty }
}

extension Array: TableAnswer where Element: TableRow {
    var rows: [Element] { self }
}

/// Text in aligned columns.
enum Table {
    /// A list with headings.
    ///
    /// - Parameter empty: the text for a list without rows; nil for the text of the answer.
    static func list<Answer: TableAnswer>(_ answer: Answer, empty: String? = nil) -> String {
        let more = answer.next.map { "\nMore: \(CommandWords.repeated(after: $0))" } ?? ""
        if answer.rows.isEmpty { return (empty ?? answer.empty) + more }
        let lines = aligned([Answer.Row.headings] + answer.rows.map { row in row.cells.map { $0 ?? "" } })
        return ([lines[0].bold] + lines.dropFirst()).joined(separator: "\n") + more
    }

    /// Names and values in two columns, without the missing values.
    static func values(_ lines: [(String, String?)]) -> String {
        aligned(lines.compactMap { name, value in value.map { [name, $0] } }).joined(separator: "\n")
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(\.printableLine) }
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
