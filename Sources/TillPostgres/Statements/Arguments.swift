import CPostgres
import TillStorage

/// A statement parameter in PostgreSQL's binary form.
protocol Argument {
    /// Appends the bytes of the value.
    func write(to bytes: inout [UInt8])
}

extension Int64: Argument {
    func write(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Int: Argument {
    func write(to bytes: inout [UInt8]) { Int64(self).write(to: &bytes) }
}

/// Booleans are stored as 1 or 0, as in SQLite's tables.
extension Bool: Argument {
    func write(to bytes: inout [UInt8]) { Int64(self ? 1 : 0).write(to: &bytes) }
}

extension String: Argument {
    func write(to bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
}

extension [UInt8]: Argument {
    func write(to bytes: inout [UInt8]) { bytes.append(contentsOf: self) }
}

/// A list of texts, which PostgreSQL receives as `text[]`.
struct TextList: Argument {
    let texts: [String]

    /// Nil for an empty list, which means that there is no filter. A text with U+0000 matches nothing and the server
    /// rejects it as a parameter, so such texts are omitted.
    init?(_ texts: [String]) {
        guard !texts.isEmpty else { return nil }
        self.texts = texts.filter { !$0.utf8.contains(0) }
    }

    /// A list that may be empty. An empty list becomes an empty array.
    init(all texts: [String]) { self.texts = texts }

    func write(to bytes: inout [UInt8]) {
        let typeOfText: Int32 = 25
        func add(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        // The binary header: one dimension, no nulls, the element type, the count, and the lower bound 1.
        for number in [1, 0, typeOfText, Int32(texts.count), 1] { add(number) }
        for text in texts {
            add(Int32(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
    }
}

/// The parameters of a statement in one buffer.
struct Arguments: Sendable {
    private var bytes: [UInt8] = []
    /// The start and length of each value in the buffer; nil for a null.
    private var places: [(start: Int, length: Int)?] = []

    init(_ values: (any Argument)?...) { append(values) }

    mutating func append(_ values: [(any Argument)?]) {
        places.reserveCapacity(places.count + values.count)
        for value in values {
            guard let value else {
                places.append(nil)
                continue
            }
            let start = bytes.count
            value.write(to: &bytes)
            places.append((start, bytes.count - start))
        }
    }

    init(_ cells: [Cell]) {
        places.reserveCapacity(cells.count)
        for cell in cells {
            let start = bytes.count
            switch cell {
            case .integer(let number): number.write(to: &bytes)
            case .text(let text): text.write(to: &bytes)
            case .bytes(let value): value.write(to: &bytes)
            case .null:
                places.append(nil)
                continue
            }
            places.append((start, bytes.count - start))
        }
    }

    static func + (left: Arguments, right: Arguments) -> Arguments {
        var sum = left
        let shift = left.bytes.count
        sum.bytes += right.bytes
        sum.places += right.places.map { $0.map { ($0.start + shift, $0.length) } }
        return sum
    }

    var count: Int { places.count }

    /// The values in the form that libpq needs: pointers, lengths and binary formats.
    func withPointers<Answer>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) throws -> Answer
    ) rethrows -> Answer {
        let lengths = places.map { Int32($0?.length ?? 0) }
        let formats = [Int32](repeating: 1, count: places.count)
        // An empty value is not null, so its pointer must not be null.
        return try (bytes + [0]).withUnsafeBytes { buffer in
            let base = buffer.bindMemory(to: CChar.self).baseAddress
            let pointers = places.map { place in place.flatMap { base?.advanced(by: $0.start) } }
            return try body(Int32(places.count), pointers, lengths, formats)
        }
    }
}
