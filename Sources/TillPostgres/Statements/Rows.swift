import CPostgres
import TillStorage

/// The rows of a result in PostgreSQL's binary form. They are used on the connection's thread only.
final class Rows {
    private let result: OpaquePointer
    /// The table of the rows, for error messages.
    let table: String

    /// Takes ownership of the result, which `deinit` frees.
    init(_ result: OpaquePointer, of table: String) {
        self.result = result
        self.table = table
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }
    var status: ExecStatusType { PQresultStatus(result) }
    /// The command tag: `COMMIT`, or `ROLLBACK` if the commit failed.
    var tag: String { String(cString: PQcmdStatus(result)) }

    func map<Value>(_ body: (Row) throws -> Value) rethrows -> [Value] {
        try (0..<count).map { try body(Row(rows: self, index: Int32($0))) }
    }

    var first: Row? { count == 0 ? nil : Row(rows: self, index: 0) }

    func failure(of statement: (any SentStatement)?) -> PostgresFailure {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        return PostgresFailure(
            statement: statement,
            code: field("C"),
            message: field("M") ?? "the connection ended"
        )
    }

    fileprivate func name(_ column: Int) -> String {
        PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
    }

    fileprivate func bytes(_ row: Int32, _ column: Int) -> UnsafeRawBufferPointer? {
        guard PQgetisnull(result, row, Int32(column)) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, Int32(column)),
            count: Int(PQgetlength(result, row, Int32(column)))
        )
    }
}

/// One row, whose cells are read by column index. The server guarantees the types of the columns, so only nulls are
/// checked.
final class Row: StoredCells {
    private let rows: Rows
    private let index: Int32

    fileprivate init(rows: Rows, index: Int32) { (self.rows, self.index) = (rows, index) }

    var table: String { rows.table }
    func column(_ place: Int) -> String { rows.name(place) }
    func isNull(_ column: Int) -> Bool { rows.bytes(index, column) == nil }

    /// The cell as an integer of any width; nil if it is null.
    func maybeInt(_ column: Int) -> Int64? {
        guard let bytes = rows.bytes(index, column), let first = bytes.first else { return nil }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    func maybeText(_ column: Int) -> String? {
        rows.bytes(index, column).map { String(decoding: $0, as: UTF8.self) }
    }

    func maybeBytes(_ column: Int) -> [UInt8]? { rows.bytes(index, column).map { Array($0) } }

    func integer(_ place: Int) throws(DamagedRow) -> Int64 { try known(maybeInt(place), place, .integer) }
    func text(_ place: Int) throws(DamagedRow) -> String { try known(maybeText(place), place, .text) }
    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8] { try known(maybeBytes(place), place, .bytes) }
    func int(_ place: Int) throws(DamagedRow) -> Int64 { try integer(place) }

    private func known<Value>(_ value: Value?, _ place: Int, _ kind: ShopTable.Column.Kind) throws(DamagedRow) -> Value
    {
        guard let value else { throw damaged(place, kind.problem(holding: "nothing")) }
        return value
    }
}
