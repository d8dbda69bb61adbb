/// Reads one BER element after the other: definite lengths and indefinite ones, as Xcode writes them.
///
/// Nothing is believed. A length never reaches beyond the bytes that are there, nothing recurses, and an element of
/// indefinite length is walked over once for each level that is entered, of which there are few. Tags above 30 and
/// lengths of more than four octets stand in no receipt and are refused.
struct BERReader {
    /// One element.
    struct Element {
        /// Class, the mark for constructed, and number, in one octet.
        let tag: UInt8
        /// What is inside, without the marks that end an indefinite length.
        let content: ArraySlice<UInt8>
        /// The whole element as it stands.
        let encoded: ArraySlice<UInt8>

        /// Reads what is inside.
        var reader: BERReader { BERReader(content) }
    }

    /// What is wrong with the bytes.
    struct Fault: Error {
        /// Ends a sentence that begins with the thing that was read.
        let reason: String
    }

    /// How many indefinite lengths may be open at once.
    static let maximumDepth = 32

    /// What was not read yet.
    private(set) var rest: ArraySlice<UInt8>

    /// Reads `bytes` from their beginning.
    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the element that comes next; nil at the end.
    var nextTag: UInt8? { rest.first }

    /// Reads one element.
    mutating func next() throws(Fault) -> Element {
        let start = rest.startIndex
        let header = try Self.header(rest, at: start)
        guard header.tag != 0 else { throw Fault(reason: "has an end mark where nothing was open") }
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

    /// Reads one element that must have a tag.
    mutating func next(_ tag: UInt8) throws(Fault) -> Element {
        let element = try next()
        guard element.tag == tag else {
            throw Fault(reason: "has tag \(element.tag) where tag \(tag) should be")
        }
        return element
    }

    /// Refuses what follows the last element that was expected.
    func end() throws(Fault) {
        guard isAtEnd else { throw Fault(reason: "has \(rest.count) bytes after its end") }
    }

    /// The octets of an OCTET STRING, which may be put together of pieces. What pieces are made of must be whole.
    mutating func octets() throws(Fault) -> ArraySlice<UInt8> {
        let element = try next()
        if element.tag == DERBytes.octetString { return element.content }
        guard element.tag == DERBytes.octetString | DERBytes.constructed else {
            throw Fault(reason: "has tag \(element.tag) where an octet string should be")
        }
        var joined: [UInt8] = []
        var pieces = element.reader
        while !pieces.isAtEnd {
            joined += try pieces.next(DERBytes.octetString).content
        }
        return joined[...]
    }

    /// A whole number; nil when it does not fit 64 bits.
    mutating func integer() throws(Fault) -> Int64? {
        let content = try next(DERBytes.integer).content
        guard let first = content.first else { throw Fault(reason: "has an empty number") }
        guard content.count <= 8 else { return nil }
        return content.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
    }

    private struct Header {
        let tag: UInt8
        /// Nil when it is indefinite.
        let length: Int?
        /// Where the contents begin.
        let end: Int
    }

    /// Reads tag and length. A definite length lies within the bytes.
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
            throw Fault(reason: "has an element that is longer than what is left")
        }
        return Header(tag: tag, length: length, end: position)
    }

    /// Where an element of indefinite length ends, behind its end mark. Elements of definite length are advanced over.
    private static func endOfIndefinite(_ bytes: ArraySlice<UInt8>, from start: Int) throws(Fault) -> Int {
        var position = start
        var open = 1
        while true {
            let header = try header(bytes, at: position)
            position = header.end
            if header.tag == 0 {
                guard header.length == 0 else { throw Fault(reason: "has an end mark that is not empty") }
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
