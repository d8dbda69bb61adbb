import TillCore

/// A value that is stored in one cell.
package protocol CellValue: Sendable {
    /// The type of the cell.
    static var kind: ShopTable.Column.Kind { get }
    /// Whether the cell may be null.
    static var isOptional: Bool { get }
    /// The value as a cell.
    var cell: Cell { get }
    /// Reads the cell with this index.
    init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow)

    /// Reads the cell with this index into the memory of an initialized value. These two are requirements, and not only
    /// extensions, so that the compiler makes a version for each type.
    static func read(_ cells: any StoredCells, _ place: Int, into memory: UnsafeMutableRawPointer) throws(DamagedRow)
    /// Reads the cell with this index into the memory of an initialized optional value.
    static func readOptional(
        _ cells: any StoredCells,
        _ place: Int,
        into memory: UnsafeMutableRawPointer
    ) throws(DamagedRow)
}

extension CellValue {
    package static var isOptional: Bool { false }

    /// Reads the cell with this index into the memory of an initialized value.
    package static func read(
        _ cells: any StoredCells,
        _ place: Int,
        into memory: UnsafeMutableRawPointer
    ) throws(DamagedRow) {
        memory.assumingMemoryBound(to: Self.self).pointee = try Self(cells, place)
    }

    /// Reads the cell with this index into the memory of an initialized optional value.
    package static func readOptional(
        _ cells: any StoredCells,
        _ place: Int,
        into memory: UnsafeMutableRawPointer
    ) throws(DamagedRow) {
        memory.assumingMemoryBound(to: Self?.self).pointee = cells.isNull(place) ? nil : try Self(cells, place)
    }
}

extension Int64: CellValue {
    package static var kind: ShopTable.Column.Kind { .integer }
    package var cell: Cell { .integer(self) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) { self = try cells.integer(place) }
}

extension Int: CellValue {
    package static var kind: ShopTable.Column.Kind { .integer }
    package var cell: Cell { .integer(Int64(self)) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) { self = Int(try cells.integer(place)) }
}

extension Bool: CellValue {
    package static var kind: ShopTable.Column.Kind { .integer }
    package var cell: Cell { .integer(self ? 1 : 0) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) { self = try cells.integer(place) != 0 }
}

extension String: CellValue {
    package static var kind: ShopTable.Column.Kind { .text }
    package var cell: Cell { .text(self) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) { self = try cells.text(place) }
}

extension [UInt8]: CellValue {
    package static var kind: ShopTable.Column.Kind { .bytes }
    package var cell: Cell { .bytes(self) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) { self = try cells.bytes(place) }
}

extension Optional: CellValue where Wrapped: CellValue {
    package static var kind: ShopTable.Column.Kind { Wrapped.kind }
    package static var isOptional: Bool { true }
    package var cell: Cell { self?.cell ?? .null }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) {
        self = cells.isNull(place) ? nil : try Wrapped(cells, place)
    }
}

extension Timestamp: CellValue {
    package static var kind: ShopTable.Column.Kind { .integer }
    package var cell: Cell { .integer(milliseconds) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) {
        self.init(milliseconds: try cells.integer(place))
    }
}

/// An id that is stored as its number.
package protocol NumberCell: CellValue {
    /// The number.
    var number: Int64 { get }
    /// The id with this number.
    init(_ number: Int64)
}

extension NumberCell {
    package static var kind: ShopTable.Column.Kind { .integer }
    package var cell: Cell { .integer(number) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) { self.init(try cells.integer(place)) }
}

extension AccountID: NumberCell {}
extension TransactionID: NumberCell {}
extension OrderID: NumberCell {}
extension NotificationID: NumberCell {}

/// An enumeration is stored as its raw value.
extension CellValue where Self: RawRepresentable, RawValue: CellValue {
    package static var kind: ShopTable.Column.Kind { RawValue.kind }
    package var cell: Cell { rawValue.cell }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) {
        guard let value = Self(rawValue: try RawValue(cells, place)) else { throw cells.strange(place) }
        self = value
    }
}

extension StoreEnvironment: CellValue {}
extension ProductKind: CellValue {}
extension InAppOwnershipType: CellValue {}
extension TransactionReason: CellValue {}
extension BillingPlanType: CellValue {}
extension OfferType: CellValue {}
extension OfferDiscountType: CellValue {}
extension RevocationReason: CellValue {}
extension RevocationType: CellValue {}
extension DocumentKind: CellValue {}
extension ForeignIdentifier.Kind: CellValue {}

extension Storefront: CellValue {
    package static var kind: ShopTable.Column.Kind { .text }
    package var cell: Cell { .text(code) }
    /// Reads the cell with this index.
    package init(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) {
        guard let value = Storefront(code: try cells.text(place)) else { throw cells.strange(place) }
        self = value
    }
}
