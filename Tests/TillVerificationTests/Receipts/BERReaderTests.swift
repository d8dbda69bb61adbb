import Testing

@testable import TillVerification

@Suite("The BER reader with malicious input")
struct BERReaderTests {
    @Test("Definite and indefinite lengths give the same contents, also when nested")
    func lengths() throws {
        let content: [UInt8] = [0x30, 0x80, 2, 1, 5, 0, 0, 4, 2, 0, 0]
        for bytes in [
            [0x30, 11] + content, [0x30, 0x81, 11] + content, [0x30, 0x84, 0, 0, 0, 11] + content,
            [0x30, 0x80] + content + [0, 0],
        ] as [[UInt8]] {
            var reader = BERReader(([9] + bytes)[1...])
            let element = try reader.next(DERBytes.sequence)
            #expect(Array(element.content) == content)
            #expect(Array(element.encoded) == bytes)
            try reader.end()
            var inner = element.reader
            #expect(Array(try inner.next().content) == [2, 1, 5])
            #expect(Array(try inner.octets()) == [0, 0])
            try inner.end()
        }
    }

    @Test(
        "Wrong lengths, stray end markers and foreign tags are rejected",
        arguments: [
            [], [0x30], [0x30, 1], [0x30, 0x81], [0x30, 0x81, 1], [0x30, 0x82, 0xFF, 0xFF, 1],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0xFF], [0, 0], [0, 1, 0], [0x1F, 0x81, 1, 0], [0x3F, 1, 0], [0x04, 0x80, 0, 0], [0x30, 0x80],
            [0x30, 0x80, 0], [0x30, 0x80, 0, 1, 0], [0x30, 0x80, 2, 1, 0], [0x30, 0x80, 0x30, 0x80, 0, 0],
        ] as [[UInt8]]
    )
    func refused(bytes: [UInt8]) {
        var reader = BERReader(bytes[...])
        #expect(throws: BERReader.Fault.self) { try reader.next() }
    }

    @Test("Indefinite lengths nest up to 32 levels deep")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array([[UInt8]](repeating: [0x30, 0x80], count: depth).joined()) + [UInt8](repeating: 0, count: depth * 2)
        }
        var reader = BERReader(nested(32)[...])
        _ = try reader.next()
        var deep = BERReader(nested(33)[...])
        #expect(throws: BERReader.Fault.self) { try deep.next() }
    }
}
