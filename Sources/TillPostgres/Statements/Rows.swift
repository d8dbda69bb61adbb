import CPostgres
import TillStorage

/// The rows of a result in PostgreSQL's binary form. They are used on the connection's thread only.
final class Rows {
    private let result: OpaquePointer

    /// Takes ownership of the result, which `deinit` frees.
    init(_ result: OpaquePointer) { self.result = result }

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

    fileprivate func bytes(_ row: Int32, _ column: Int) -> UnsafeRawBufferPointer? {
        guard PQgetisnull(result, row, Int32(column)) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, Int32(column)),
            count: Int(PQgetlength(result, row, Int32(column)))
        )
    }
}

/// One row, whose cells are read by column index.
struct Row {
    fileprivate let rows: Rows
    fileprivate let index: Int32

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

    /// - Throws: `DamagedRow` if the cell is null. Columns that this function reads are never null.
    func int(_ column: Int) throws -> Int64 { try known(maybeInt(column), column) }

    /// - Throws: `DamagedRow` if the cell is null. Columns that this function reads are never null.
    func text(_ column: Int) throws -> String { try known(maybeText(column), column) }

    private func known<Value>(_ value: Value?, _ column: Int) throws -> Value {
        guard let value else { throw DamagedRow(table: "answer", column: String(column), problem: "holds nothing") }
        return value
    }
}
