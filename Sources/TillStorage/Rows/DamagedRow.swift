import TillCore

/// The error for a stored row with a value that no version of Till wrote, for example after a manual edit of the
/// database. Till never guesses a value; the error identifies the row.
package struct DamagedRow: Error, Equatable, Sendable, CustomStringConvertible {
    /// The table of the row.
    package let table: String
    /// The key of the row, such as `id 2000000005121024`; nil if unknown.
    package let row: String?
    /// The column that cannot be read.
    package let column: String
    /// What is wrong with the value: the predicate of a sentence, without a full stop.
    package let problem: String

    /// A row that cannot be read.
    package init(table: String, row: String? = nil, column: String, problem: String) {
        self.table = table
        self.row = row
        self.column = column
        self.problem = problem
    }

    /// The same error with this key of the row, unless the error already has a key.
    package func naming(_ row: String?) -> DamagedRow {
        DamagedRow(table: table, row: self.row ?? row, column: column, problem: problem)
    }

    /// What is wrong, without the remedy: a clause without a full stop.
    package var reason: String {
        "a row of the table \(table)\(row.map { " (\($0))" } ?? "") is damaged: its column \(column) \(problem)"
    }

    /// The row, the column and the remedy.
    package var description: String {
        "\(reason); run till doctor, then restore a backup or a snapshot from before the damage"
    }

    /// The problem of a value that has the right type, but that no version of Till writes in its column.
    static let unknownValue = "has a value that Till does not know"

    /// The error for a counter with too few identifiers left to reserve.
    ///
    /// - Parameter next: The next counter value; nil if none is stored.
    package static func counter(_ next: Int64?) -> DamagedRow {
        DamagedRow(
            table: "identifiers",
            row: "series all",
            column: "next",
            problem: next.map {
                "is \($0), so too few identifiers are left below \(Identifiers.maxCounters)"
            } ?? "is missing"
        )
    }
}
