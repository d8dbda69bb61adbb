/// The cells of one stored row, by index. Every read checks the type, because SQLite accepts any type in any column. A
/// value of a wrong type must neither cause a trap nor be converted.
///
/// Only classes conform, because a page of 20 transactions has 600 cells, and each read of one would copy a structure.
package protocol StoredCells: AnyObject {
    /// The table of the row, for error messages.
    var table: String { get }
    /// The name of the column with this index, for error messages.
    func column(_ place: Int) -> String

    /// Whether the cell is null.
    func isNull(_ place: Int) -> Bool
    /// The cell as a number.
    func integer(_ place: Int) throws(DamagedRow) -> Int64
    /// The cell as a text.
    func text(_ place: Int) throws(DamagedRow) -> String
    /// The cell as bytes.
    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8]
}

extension StoredCells {
    /// The cell as a number; nil if it is null.
    package func maybeInteger(_ place: Int) throws(DamagedRow) -> Int64? { isNull(place) ? nil : try integer(place) }

    /// The cell as a text; nil if it is null.
    package func maybeText(_ place: Int) throws(DamagedRow) -> String? { isNull(place) ? nil : try text(place) }

    /// The cell as bytes; nil if it is null.
    package func maybeBytes(_ place: Int) throws(DamagedRow) -> [UInt8]? { isNull(place) ? nil : try bytes(place) }

    /// The error for a value that has the right type, but that no version of Till writes in this column.
    package func strange(_ place: Int) -> DamagedRow { damaged(place, DamagedRow.unknownValue) }

    /// The error for a damaged cell.
    ///
    /// - Parameter problem: The predicate of a sentence about the column, without a full stop.
    package func damaged(_ place: Int, _ problem: String) -> DamagedRow {
        DamagedRow(table: table, column: column(place), problem: problem)
    }
}
