import Foundation

/// Encodes receipt attributes as a SET OF. Attributes may be added in any order; `write(to:)` sorts them by their
/// bytes, as DER requires.
struct AttributeSet {
    private var scratch: [UInt8] = []
    private var elements: [Range<Int>] = []

    /// The total size of the attributes in bytes.
    var count: Int { scratch.count }

    /// Clears the set but keeps its memory.
    mutating func removeAll() {
        scratch.removeAll(keepingCapacity: true)
        elements.removeAll(keepingCapacity: true)
    }

    /// Reserves memory for a number of bytes.
    mutating func reserve(_ count: Int) {
        scratch.reserveCapacity(count)
    }

    mutating func number(_ type: Int64, _ value: Int64) {
        add(type, count: DERBytes.integerCount(value) + 2) { DERBytes.appendInteger(value, to: &$0) }
    }

    /// Adds a text as a UTF8String.
    mutating func text(_ type: Int64, _ text: String) {
        var text = text
        text.withUTF8 { element(type, DERBytes.utf8String, $0) }
    }

    /// Adds a text as an IA5String. Bytes outside ASCII become question marks.
    mutating func ascii(_ type: Int64, _ text: String) {
        element(type, DERBytes.ia5String, text.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") })
    }

    /// Adds a date as an IA5String, which is empty for nil.
    mutating func date(_ type: Int64, _ instant: Int64?) {
        let text = instant.map { ReceiptDate.bytes(of: $0, separator: UInt8(ascii: "T"), suffix: "Z") }
        element(type, DERBytes.ia5String, text ?? [])
    }

    /// Adds bytes without a DER element around them.
    mutating func raw(_ type: Int64, version: UInt8 = 1, _ bytes: [UInt8]) {
        add(type, version: version, count: bytes.count) { $0 += bytes }
    }

    /// Adds a set of attributes.
    mutating func set(_ type: Int64, _ attributes: AttributeSet) {
        add(type, count: DERBytes.count(of: attributes.count)) { attributes.write(to: &$0) }
    }

    private mutating func element(_ type: Int64, _ tag: UInt8, _ content: some Collection<UInt8>) {
        add(type, count: DERBytes.count(of: content.count)) {
            DERBytes.appendHeader(tag, content.count, to: &$0)
            $0.append(contentsOf: content)
        }
    }

    /// Adds an attribute whose value has a number of bytes.
    private mutating func add(
        _ type: Int64,
        version: UInt8 = 1,
        count valueCount: Int,
        _ writeValue: (inout [UInt8]) -> Void
    ) {
        let start = scratch.count
        let count = DERBytes.integerCount(type) + 2 + 3 + DERBytes.count(of: valueCount)
        DERBytes.appendHeader(DERBytes.sequence, count, to: &scratch)
        DERBytes.appendInteger(type, to: &scratch)
        DERBytes.appendInteger(Int64(version), to: &scratch)
        DERBytes.appendHeader(DERBytes.octetString, valueCount, to: &scratch)
        writeValue(&scratch)
        elements.append(start..<scratch.count)
    }

    /// Appends the SET with its elements sorted by their bytes.
    func write(to bytes: inout [UInt8]) {
        DERBytes.appendHeader(DERBytes.set, scratch.count, to: &bytes)
        scratch.withUnsafeBytes { source in
            let sorted = elements.sorted { left, right in
                // No element is a prefix of another, because each begins with its own length.
                memcmp(source[left], source[right], min(left.count, right.count)) < 0
            }
            for element in sorted {
                bytes.append(contentsOf: source[element])
            }
        }
    }
}

/// Compares the beginnings of two byte ranges.
private func memcmp(_ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>, _ count: Int) -> Int
{
    let (left, right) = (UnsafeRawBufferPointer(rebasing: left), UnsafeRawBufferPointer(rebasing: right))
    guard let first = left.baseAddress, let second = right.baseAddress else { return 0 }
    return Int(Foundation.memcmp(first, second, count))
}
