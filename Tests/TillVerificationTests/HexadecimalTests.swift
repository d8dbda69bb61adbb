import Testing
import TillVerification

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Bytes are written as two digits each, and digits are read in both cases")
    func hexadecimal() {
        #expect(Hexadecimal.text([0, 9, 0xA0, 0xFF]) == "0009a0ff")
        let digits = Array("0123456789abcdefABCDEF".utf8)
        #expect(digits.map { Hexadecimal.value(of: $0) } == (Array(0...15) + Array(10...15)).map { UInt8($0) })
        for other in "/:@G`g\u{0}".utf8 { #expect(Hexadecimal.value(of: other) == nil) }
    }
}
