/// Reads cells of a row into the memory of a value. The type is not generic: a loop over functions that are generic in
/// the value would look up their types for each cell, and a page of 20 transactions has 600 cells.
struct CellReader: Sendable {
    typealias Read = @Sendable (any StoredCells, Int, UnsafeMutableRawPointer) throws(DamagedRow) -> Void

    let read: Read
    /// The index of the first cell that the function reads, counted from the first column of the table.
    var place = 0

    /// - Parameter read: It must not be stored in an optional or a tuple before, because Swift would wrap it.
    init(_ read: @escaping Read) { self.read = read }

    static func read(
        _ cells: any StoredCells,
        from first: Int,
        with readers: [CellReader],
        into memory: UnsafeMutableRawPointer
    ) throws(DamagedRow) {
        for reader in readers { try reader.read(cells, first + reader.place, memory) }
    }
}

/// Makes a cell from a value in memory, for the same reason without its type.
struct CellWriter: Sendable {
    typealias Write = @Sendable (UnsafeRawPointer) throws -> Cell

    let write: Write

    init(_ write: @escaping Write) { self.write = write }
}

/// The columns of a table, and how a value is written to its row and read from it. Each column is declared once; the
/// statements of both engines use this list.
package final class RowFormat<Value: Sendable>: Sendable {
    /// A column of the row.
    package struct Field: Sendable {
        let column: ShopTable.Column
        let writer: CellWriter
        let reader: CellReader?
    }

    /// Reads a cell, or several adjacent cells that begin with it, into a value.
    package typealias Read = @Sendable (any StoredCells, Int, inout Value) throws(DamagedRow) -> Void

    /// The name of the table.
    package let table: String
    /// The columns, in the order in which statements list them. Exports have the same order.
    package let columns: [ShopTable.Column]
    /// The columns as a list for an SQL statement.
    package let list: String
    private let fields: [Field]
    private let readers: [CellReader]
    private let key: [Int]

    /// A table with its columns.
    ///
    /// - Parameter key: The columns that identify a row in error messages.
    init(_ table: String, key: [String], _ fields: [Field]) {
        self.table = table
        self.fields = fields
        columns = fields.map(\.column)
        let names = columns.map(\.name)
        list = names.joined(separator: ", ")
        readers = fields.enumerated().compactMap { place, field in
            var reader = field.reader
            reader?.place = place
            return reader
        }
        self.key = key.compactMap { names.firstIndex(of: $0) }
    }

    /// The cells of a row, in the order of the columns.
    ///
    /// - Throws: `EncodingError` if a part of the value cannot be encoded.
    package func cells(_ value: Value) throws -> [Cell] {
        try withUnsafePointer(to: value) { memory in try fields.map { try $0.writer.write(memory) } }
    }

    /// Reads a row into a value, whose properties are all replaced.
    ///
    /// - Parameter first: The index of the first column among the cells.
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    func read(_ cells: any StoredCells, from first: Int, into value: inout Value) throws(DamagedRow) {
        do throws(DamagedRow) {
            try withUnsafeMutablePointer(to: &value) { memory throws(DamagedRow) in
                try CellReader.read(cells, from: first, with: readers, into: memory)
            }
        } catch {
            throw error.naming(name(of: cells, from: first))
        }
    }

    /// The key of a row as text for messages; nil if its first column cannot be read.
    private func name(of cells: any StoredCells, from first: Int) -> String? {
        let words = key.map { place -> String? in
            let column = columns[place]
            let value =
                column.kind == .text
                ? try? cells.text(first + place) : (try? cells.integer(first + place)).map { String($0) }
            return value.map { "\(column.name) \($0)" }
        }
        return words.first == .some(nil) ? nil : words.compactMap(\.self).joined(separator: ", ")
    }

    /// The statement that adds a row.
    var insert: String { "INSERT INTO \(table) (\(list)) VALUES (\(StatementSQL.places(columns.count)))" }
}

extension RowFormat.Field {
    /// A column that contains a stored property. It is read and written at its offset, because a key path is much
    /// slower.
    static func stored<Part: CellValue>(_ name: String, _ path: any WritableKeyPath<Value, Part> & Sendable) -> Self {
        guard let offset = MemoryLayout<Value>.offset(of: path) else {
            preconditionFailure("\(name) is not a stored property of a structure")
        }
        let reader = CellReader { cells, place, memory throws(DamagedRow) in
            (memory + offset).assumingMemoryBound(to: Part.self).pointee = try Part(cells, place)
        }
        let writer = CellWriter { ($0 + offset).assumingMemoryBound(to: Part.self).pointee.cell }
        return Self(column: column(name, Part.self), writer: writer, reader: reader)
    }

    /// A column whose value other columns determine, or that is read together with the column before it.
    static func derived<Part: CellValue>(_ name: String, _ part: @escaping @Sendable (Value) throws -> Part) -> Self {
        Self(column: column(name, Part.self), writer: writer(part), reader: nil)
    }

    /// A column that is read together with the columns after it.
    static func joined<Part: CellValue>(
        _ name: String,
        _ part: @escaping @Sendable (Value) throws -> Part,
        _ read: @escaping RowFormat.Read
    ) -> Self {
        let reader = CellReader { cells, place, memory throws(DamagedRow) in
            try read(cells, place, &memory.assumingMemoryBound(to: Value.self).pointee)
        }
        return Self(column: column(name, Part.self), writer: writer(part), reader: reader)
    }

    private static func writer<Part: CellValue>(_ part: @escaping @Sendable (Value) throws -> Part) -> CellWriter {
        CellWriter { try part($0.assumingMemoryBound(to: Value.self).pointee).cell }
    }

    private static func column<Part: CellValue>(_ name: String, _: Part.Type) -> ShopTable.Column {
        ShopTable.Column(name: name, kind: Part.kind, isOptional: Part.isOptional)
    }
}

/// A value that is stored as one row.
package protocol StoredRow: Sendable {
    /// The columns of the table.
    static var format: RowFormat<Self> { get }
    /// The value into which a row is read. Reading replaces every property.
    static var blank: Self { get }
}

extension StoredRow {
    /// Reads a row.
    ///
    /// - Parameter first: The index of the table's first column among the cells.
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ cells: any StoredCells, from first: Int = 0) throws(DamagedRow) {
        self = Self.blank
        try Self.format.read(cells, from: first, into: &self)
    }

    /// The cells of the row, in the order of the columns.
    ///
    /// - Throws: `EncodingError` if a part of the value cannot be encoded.
    package func cells() throws -> [Cell] { try Self.format.cells(self) }
}
