/// How a cell is read into the memory of a value, perhaps together with its neighbours. Neither this type nor the
/// functions that it calls are generic in the value: a loop over generic functions would look up their types for each
/// cell, and a page of 20 transactions has 600 cells. For the same reason a property is described by its type and not
/// by a closure, which would be retained and released for each cell.
enum CellReader: Sendable {
    typealias Read = @Sendable (any StoredCells, Int, UnsafeMutableRawPointer) throws(DamagedRow) -> Void

    /// A stored property at this offset, or an optional one of this type.
    case property(any CellValue.Type, isOptional: Bool, offset: Int)
    case function(Read)

    func read(_ cells: any StoredCells, _ place: Int, into memory: UnsafeMutableRawPointer) throws(DamagedRow) {
        switch self {
        case .property(let type, false, let offset): try type.read(cells, place, into: memory + offset)
        case .property(let type, true, let offset): try type.readOptional(cells, place, into: memory + offset)
        case .function(let read): try read(cells, place, memory)
        }
    }
}

/// How a cell is made from a value in memory, for the same reasons.
enum CellWriter: Sendable {
    typealias Write = @Sendable (UnsafeRawPointer) throws -> Cell

    /// A stored property at this offset, or an optional one of this type.
    case property(any CellValue.Type, isOptional: Bool, offset: Int)
    case function(Write)

    func cell(_ memory: UnsafeRawPointer) throws -> Cell {
        switch self {
        case .property(let type, false, let offset): type.cell(of: memory + offset)
        case .property(let type, true, let offset): type.cell(ofOptional: memory + offset)
        case .function(let write): try write(memory)
        }
    }
}

extension CellValue {
    fileprivate static func cell(of memory: UnsafeRawPointer) -> Cell {
        memory.assumingMemoryBound(to: Self.self).pointee.cell
    }

    fileprivate static func cell(ofOptional memory: UnsafeRawPointer) -> Cell {
        memory.assumingMemoryBound(to: Self?.self).pointee?.cell ?? .null
    }
}

/// The columns of a table, and how a value is written to its row and read from it. Each column is declared once; the
/// statements of both engines use this list.
package final class RowFormat<Value: Sendable>: Sendable {
    /// A column of the row.
    package struct Field: Sendable {
        let column: ShopTable.Column
        let writer: CellWriter
        /// Nil if the cell is read together with the one before it, or not needed.
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
    private let writers: [CellWriter]
    private let readers: [(place: Int, reader: CellReader)]
    private let key: [Int]

    /// A table with its columns.
    ///
    /// - Parameter key: The columns that identify a row in error messages.
    init(_ table: String, key: [String], _ fields: [Field]) {
        self.table = table
        writers = fields.map(\.writer)
        readers = fields.enumerated().compactMap { place, field in field.reader.map { (place, $0) } }
        columns = fields.map(\.column)
        let names = columns.map(\.name)
        list = names.joined(separator: ", ")
        self.key = key.compactMap { names.firstIndex(of: $0) }
    }

    /// The cells of a row, in the order of the columns.
    ///
    /// - Throws: `EncodingError` if a part of the value cannot be encoded.
    package func cells(_ value: Value) throws -> [Cell] {
        try withUnsafePointer(to: value) { memory in try writers.map { try $0.cell(memory) } }
    }

    /// Reads a row into the memory of a value, whose properties are all replaced.
    ///
    /// - Parameter first: The index of the first column among the cells.
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    func read(
        _ cells: any StoredCells,
        from first: Int,
        into memory: UnsafeMutableRawPointer
    ) throws(DamagedRow) {
        do throws(DamagedRow) {
            for (place, reader) in readers { try reader.read(cells, first + place, into: memory) }
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
        property(name, Part.self, isOptional: false, path)
    }

    /// A column that contains an optional stored property.
    static func stored<Part: CellValue>(_ name: String, _ path: any WritableKeyPath<Value, Part?> & Sendable) -> Self {
        property(name, Part.self, isOptional: true, path)
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
        let reader: CellReader.Read = { cells, place, memory throws(DamagedRow) in
            try read(cells, place, &memory.assumingMemoryBound(to: Value.self).pointee)
        }
        return Self(column: column(name, Part.self), writer: writer(part), reader: .function(reader))
    }

    private static func property(
        _ name: String,
        _ type: any CellValue.Type,
        isOptional: Bool,
        _ path: PartialKeyPath<Value>
    ) -> Self {
        guard let offset = MemoryLayout<Value>.offset(of: path) else {
            preconditionFailure("\(name) is not a stored property of a structure")
        }
        return Self(
            column: ShopTable.Column(name: name, kind: type.kind, isOptional: isOptional),
            writer: .property(type, isOptional: isOptional, offset: offset),
            reader: .property(type, isOptional: isOptional, offset: offset)
        )
    }

    private static func writer<Part: CellValue>(_ part: @escaping @Sendable (Value) throws -> Part) -> CellWriter {
        .function { try part($0.assumingMemoryBound(to: Value.self).pointee).cell }
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
        try withUnsafeMutablePointer(to: &self) { memory throws(DamagedRow) in
            try Self.format.read(cells, from: first, into: memory)
        }
    }

    /// The cells of the row, in the order of the columns.
    ///
    /// - Throws: `EncodingError` if a part of the value cannot be encoded.
    package func cells() throws -> [Cell] { try Self.format.cells(self) }
}
