/// Reads BER elements one after the other. Lengths can be definite, or indefinite as in Xcode's receipts.
///
/// The input is untrusted. A length that exceeds the remaining bytes is rejected, and no function recurses. An element
/// of indefinite length is scanned once for each level that the caller enters, but there are few levels. Tags above 30
/// and lengths of more than four octets occur in no receipt and are rejected.
///
/// swift-asn1 is not used here: before a caller can check anything, it turns the whole file into nodes of about 100
/// bytes each, so a hostile receipt of 8 MiB with empty elements would take some 400 MB. This reader allocates nothing.
package struct BERReader {
    /// A BER element.
    struct Element {
        /// The tag: its class, constructed bit and number in one octet.
        let tag: UInt8
        /// The content, without the end-of-contents octets of an indefinite length.
        let content: ArraySlice<UInt8>
        /// The complete encoded element.
        let encoded: ArraySlice<UInt8>

        /// A reader for the content.
        var reader: BERReader { BERReader(content) }
    }

    /// The error for invalid bytes.
    package struct Fault: Error {
        /// The reason, as the predicate of a sentence whose subject is the file.
        package let reason: String
    }

    /// The maximum number of nested elements with indefinite lengths.
    static let maximumDepth = 32

    /// The bytes that have not been read yet.
    private(set) var rest: ArraySlice<UInt8>

    /// Reads `bytes` from their beginning.
    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next element; nil at the end.
    var nextTag: UInt8? { rest.first }

    /// Reads one element.
    mutating func next() throws(Fault) -> Element {
        let start = rest.startIndex
        let header = try Self.header(rest, at: start)
        guard header.tag != 0 else { throw Fault(reason: "has an unexpected end-of-contents mark") }
        let contentEnd: Int
        let end: Int
        if let length = header.length {
            contentEnd = header.end + length
            end = contentEnd
        } else {
            end = try Self.endOfIndefinite(rest, from: header.end)
            contentEnd = end - 2
        }
        let element = Element(
            tag: header.tag,
            content: rest[header.end..<contentEnd],
            encoded: rest[start..<end]
        )
        rest = rest[end...]
        return element
    }

    /// Reads one element that must have a certain tag.
    mutating func next(_ tag: UInt8) throws(Fault) -> Element {
        let element = try next()
        guard element.tag == tag else {
            throw Fault(reason: "has tag \(element.tag) instead of tag \(tag)")
        }
        return element
    }

    /// Rejects data after the last expected element.
    func end() throws(Fault) {
        guard isAtEnd else { throw Fault(reason: "has \(rest.count) bytes after its end") }
    }

    /// Reads the content of an OCTET STRING, which may consist of several pieces. The pieces must not be constructed.
    mutating func octets() throws(Fault) -> ArraySlice<UInt8> {
        let element = try next()
        if element.tag == DERBytes.octetString { return element.content }
        guard element.tag == DERBytes.octetString | DERBytes.constructed else {
            throw Fault(reason: "has tag \(element.tag) instead of an octet string")
        }
        var joined: [UInt8] = []
        var pieces = element.reader
        while !pieces.isAtEnd {
            joined += try pieces.next(DERBytes.octetString).content
        }
        return joined[...]
    }

    /// Reads an integer; nil if it does not fit into 64 bits.
    mutating func integer() throws(Fault) -> Int64? {
        let content = try next(DERBytes.integer).content
        guard let first = content.first else { throw Fault(reason: "has an empty number") }
        guard content.count <= 8 else { return nil }
        return content.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
    }

    private struct Header {
        let tag: UInt8
        /// The length of the content; nil if it is indefinite.
        let length: Int?
        /// The index at which the content begins.
        let end: Int
    }

    /// Reads a tag and a length. A definite length does not exceed the remaining bytes.
    private static func header(_ bytes: ArraySlice<UInt8>, at start: Int) throws(Fault) -> Header {
        guard bytes.endIndex - start >= 2 else { throw Fault(reason: "ends in the middle of an element") }
        let tag = bytes[start]
        guard tag & 0x1F != 0x1F else { throw Fault(reason: "has a tag above 30") }
        let first = bytes[start + 1]
        var position = start + 2
        if first == 0x80 {
            guard tag & DERBytes.constructed != 0 else {
                throw Fault(reason: "has an indefinite length on an element that is not constructed")
            }
            return Header(tag: tag, length: nil, end: position)
        }
        var length = Int(first)
        if first > 0x80 {
            let count = Int(first & 0x7F)
            guard count <= 4 else { throw Fault(reason: "has a length of \(count) octets") }
            guard bytes.endIndex - position >= count else { throw Fault(reason: "ends in the middle of a length") }
            length = 0
            for byte in bytes[position..<position + count] { length = length << 8 | Int(byte) }
            position += count
        }
        guard length <= bytes.endIndex - position else {
            throw Fault(reason: "has an element that is longer than the remaining bytes")
        }
        return Header(tag: tag, length: length, end: position)
    }

    /// Finds the end of an element of indefinite length, after its end-of-contents octets.
    private static func endOfIndefinite(_ bytes: ArraySlice<UInt8>, from start: Int) throws(Fault) -> Int {
        var position = start
        var open = 1
        while true {
            let header = try header(bytes, at: position)
            position = header.end
            if header.tag == 0 {
                guard header.length == 0 else { throw Fault(reason: "has an end-of-contents mark that is not empty") }
                open -= 1
                if open == 0 { return position }
            } else if let length = header.length {
                position += length
            } else {
                open += 1
                guard open <= maximumDepth else { throw Fault(reason: "is nested too deeply") }
            }
        }
    }
}
