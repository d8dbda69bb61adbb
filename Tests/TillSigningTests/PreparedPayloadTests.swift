import Testing
import TillVerification

@testable import TillSigning

@Suite("A payload that is prepared for several signatures")
struct PreparedPayloadTests {
    let chain: SigningChain

    init() throws {
        chain = try SigningChain.issue(under: try RootAuthority.make(), ocspURL: "http://localhost:8888/ocsp")
    }

    /// The lengths before and after the date move it over all places in the groups of three bytes that Base64 encodes.
    @Test("Each signature is valid and has its own date, wherever the date stands", arguments: 0..<4, 0..<4)
    func signed(before: Int, after: Int) throws {
        func payload(_ date: Int64) -> (bytes: [UInt8], date: Range<Int>) {
            let head = #"{"a":""# + String(repeating: "x", count: before) + #"","signedDate":"#
            let text = head + "\(date)" + #","b":""# + String(repeating: "y", count: after) + #""}"#
            return (Array(text.utf8), head.utf8.count..<head.utf8.count + "\(date)".utf8.count)
        }
        let first = payload(1_767_225_600_000)
        let prepared = PreparedPayload(first.bytes, date: first.date, by: chain)
        for date: Int64 in [1_767_225_600_000, 1_798_761_599_999, 9_999_999_999_999, 1_000_000_000_000] {
            let text = try #require(try prepared.sign(at: date, by: chain)).text
            let jws = try CompactJWS(text)
            #expect(jws.payload == payload(date).bytes)
            #expect(jws.verify(with: chain.publicKey))
        }
    }

    @Test("A date with another number of digits is not signed")
    func digits() throws {
        let bytes = Array(#"{"signedDate":1767225600000}"#.utf8)
        let prepared = PreparedPayload(bytes, date: 14..<27, by: chain)
        #expect(try prepared.sign(at: 999_999_999_999, by: chain) == nil)
        #expect(try prepared.sign(at: 10_000_000_000_000, by: chain) == nil)
    }
}
