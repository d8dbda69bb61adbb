/// The cells of one stored row by index. Every read checks the type: SQLite allows any type in any column, and a value
/// of a wrong type must neither trap nor be converted.
package protocol StoredCells {
    /// The table that the row is stored in, for errors.
    var table: String { get }
    /// The name of a column, for errors.
    func column(_ place: Int) -> String

    /// Whether a cell is null.
    func isNull(_ place: Int) -> Bool
    /// A number.
    func integer(_ place: Int) throws(DamagedRow) -> Int64
    /// A text.
    func text(_ place: Int) throws(DamagedRow) -> String
    /// Bytes.
    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8]
}

extension StoredCells {
    /// A number; nil where the cell is null.
    package func maybeInteger(_ place: Int) throws(DamagedRow) -> Int64? { isNull(place) ? nil : try integer(place) }

    /// A text; nil where the cell is null.
    package func maybeText(_ place: Int) throws(DamagedRow) -> String? { isNull(place) ? nil : try text(place) }

    /// Bytes; nil where the cell is null.
    package func maybeBytes(_ place: Int) throws(DamagedRow) -> [UInt8]? { isNull(place) ? nil : try bytes(place) }

    /// A text that must be one of a few known values.
    package func known<Value>(_ place: Int, _ make: (String) -> Value?) throws(DamagedRow) -> Value {
        guard let value = make(try text(place)) else { throw strange(place) }
        return value
    }

    /// The error for a value of the right type that no version of Till writes there.
    package func strange(_ place: Int) -> DamagedRow { damaged(place, "has a value that Till does not know") }

    /// The error for a cell.
    ///
    /// - Parameter problem: a predicate without a full stop.
    package func damaged(_ place: Int, _ problem: String) -> DamagedRow {
        DamagedRow(table: table, column: column(place), problem: problem)
    }
}
