import Testing
import TillVerification

@Suite("Comparison of secrets")
struct ConstantTimeTests {
    @Test("Texts are equal if every byte is")
    func constantTime() {
        #expect(ConstantTime.areEqual([], []) && ConstantTime.areEqual("abc".utf8, [0x61, 0x62, 0x63]))
        for other in ["", "ab", "abcd", "abd", "Abc"] { #expect(!ConstantTime.areEqual("abc".utf8, other.utf8)) }
    }
}
