import Testing
import TillJSON

@testable import TillSigning

@Suite("Tokens of other implementations")
struct CompactJWSTests {
    private func text(_ header: String, _ payload: String, _ signature: String = "AA") -> String {
        [header, payload].map { String(decoding: Base64URL.encode(Array($0.utf8)), as: UTF8.self) }
            .joined(separator: ".") + "." + signature
    }

    private func refusal(_ text: String, limit: Int = CompactJWS.defaultLimit) -> JWSRefusal? {
        do {
            _ = try CompactJWS(text, limit: limit)
            return nil
        } catch {
            return error
        }
    }

    @Test("A token with every kind of JSON value is read")
    func values() throws {
        let json = #" { "a" : "x\n\u00e9\ud83d\ude00\/", "b":[1,-2.5,1e3,0], "c":true,"d":false,"e":null,"f":{} } "#
        let jws = try CompactJWS(text(#"{"alg":"ES256"}"#, json))
        #expect(
            jws.claims == [
                "a": .string("x\né😀/"), "b": .array(["1", "-2.5", "1e3", "0"].map { .number($0) }),
                "c": .bool(true), "d": .bool(false), "e": .null, "f": .object([]),
            ]
        )
        #expect(jws.payload == Array(json.utf8))
    }

    @Test(
        "JSON that parsers interpret differently is rejected",
        arguments: [
            "", " ", "[]", "\"a\"", "1", "{", "{}x", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1"#, #"{a:1}"#,
            #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":1.}"#,
            #"{"a":1e}"#, #"{"a":1e999}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
            #"{"a":"\ud83d"}"#, #"{"a":"\ud83d\u0041"}"#, #"{"a":"\ude00"}"#, #"{"a":"\ud83d\uffff"}"#,
            "{\"a\":\"\u{1}\"}", #"{"a":"x"#, #"{"a":[1,]}"#, #"{"a":[1"#, #"{"a":-}"#,
        ]
    )
    func malformed(json: String) throws {
        guard case .notJSON(.payload, let reason) = refusal(text("{}", json)) else {
            Issue.record("accepted \(json)")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("A string that is not UTF-8 is rejected")
    func notUTF8() {
        let payload = Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        let token = "e30." + String(decoding: Base64URL.encode(payload), as: UTF8.self) + ".AA"
        let reason = "is not valid JSON ($: expected UTF-8, found bytes that are not valid UTF-8)"
        #expect(refusal(token) == .notJSON(.payload, reason: reason))
    }

    @Test("Eight levels of nesting are accepted, nine and thousands are rejected")
    func depth() {
        func nested(_ levels: Int) -> String {
            let inner = levels - 1
            return #"{"a":"# + String(repeating: "[", count: inner) + String(repeating: "]", count: inner) + "}"
        }
        #expect(refusal(text("{}", nested(8))) == nil)
        let reason = "is not valid JSON ($: expected at most 8 levels, found one more at line 1, column 13)"
        #expect(refusal(text("{}", nested(9))) == .notJSON(.payload, reason: reason))
        #expect(refusal(text("{}", nested(5_000)), limit: 100_000) != nil)
    }

    @Test("The length, the number of parts and the alphabet of a token are checked")
    func shape() {
        #expect(refusal("") == .segments(1))
        #expect(refusal("a.b") == .segments(2))
        #expect(refusal("a.b.c.d.e") == .segments(5))
        #expect(refusal("e30=.e30.AA") == .notBase64URL(.header))
        #expect(refusal("e30.e30 .AA") == .notBase64URL(.payload))
        #expect(refusal("e30.e30.A+") == .notBase64URL(.signature))
        #expect(refusal("e30.e30.AA", limit: 10) == nil)
        #expect(refusal("e30.e30.AA", limit: 9) == .tooLong(bytes: 10, limit: 9))
        #expect(refusal("W10.e30.AA") == .notJSON(.header, reason: "is an array, not a JSON object"))
    }
}
