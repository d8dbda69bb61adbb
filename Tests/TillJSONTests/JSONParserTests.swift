import Testing
import TillJSON

@Suite("Reading JSON")
struct JSONParserTests {
    private func tree(
        _ text: String,
        limits: JSONLimits = .standard,
        keepsNull: Bool = false
    ) throws(JSONError) -> JSONTree {
        try JSONTree.parse(Array(text.utf8), limits: limits, keepsNull: keepsNull)
    }

    /// The faults of a text, one per line; nil when it is accepted.
    private func faults(_ text: String, limits: JSONLimits = .standard) -> String? {
        do {
            _ = try tree(text, limits: limits)
            return nil
        } catch {
            return error.faults.map(\.description).joined(separator: "\n")
        }
    }

    @Test("Every kind of value is read, numbers digit by digit and members in their order")
    func values() throws {
        let text = #" { "b" : [4.990, -0, 12E+3, 18446744073709551616], "a":{"":null}, "c":[true,false], "d":[] } "#
        let numbers = ["4.990", "-0", "12E+3", "18446744073709551616"]
        let expected: JSONTree = .object([
            .init("b", .array(numbers.map { .number($0) })), .init("a", .object([.init("", .null)])),
            .init("c", .array([.bool(true), .bool(false)])), .init("d", .array([])),
        ])
        #expect(try tree(text) == expected)
    }

    @Test(
        "Strings are read with their escapes",
        arguments: [
            (#""plain""#, "plain"), (#""""#, ""), (#""é😀""#, "é😀"),
            (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
            (#""\u00e9 \ud83d\ude00 end""#, "é 😀 end"), (#""\u001f""#, "\u{1F}"),
        ]
    )
    func strings(text: String, expected: String) throws {
        #expect(try tree(text) == .string(expected))
    }

    @Test("U+0000 is read only on demand")
    func null() throws {
        #expect(try tree(#""\u0000""#, keepsNull: true) == .string("\0"))
        #expect(faults(#"["\u0000"]"#) == "$: expected a text without U+0000, found U+0000 at line 1, column 3")
    }

    @Test(
        "The first syntax error is reported with its line and column",
        arguments: [
            ("", "a JSON value, found an empty text"),
            ("{\n \"a\": 01}", "`,` or `}` after a value, found `1}` at line 2, column 8"),
            ("[1 2]", "`,` or `]` after a value, found `2]` at line 1, column 4"),
            ("{\"a\" 1}", "`:` after a key, found `1}` at line 1, column 6"),
            ("{} x", "nothing after the document, found `x` at line 1, column 4"),
            ("[-]", "a digit, found `]` at line 1, column 3"), ("[1.]", "a digit, found `]` at line 1, column 4"),
            ("[1e]", "a digit, found `]` at line 1, column 4"),
            ("[tru]", "a JSON value, found `tru]` at line 1, column 2"),
            ("\"a", "a closing quote, found a string without an end at line 1, column 1"),
            ("[\"a\n\"]", "no bare control character in a string, found a control character at line 1, column 4"),
            (#"["\x"]"#, #"an escape of JSON, found `\x"]` at line 1, column 3"#),
            (#"["\ud83d"]"#, #"an escaped Unicode character, found `\ud83d"]` at line 1, column 3"#),
            (#"["\u12"]"#, #"an escaped Unicode character, found `\u12"]` at line 1, column 3"#),
            ("\u{FEFF}{}", "UTF-8 without a byte order mark, found a byte order mark in front of the text"),
        ]
    )
    func syntax(text: String, expected: String) {
        #expect(faults(text) == "$: expected \(expected)")
    }

    @Test("Bytes that are not UTF-8 are rejected")
    func notUTF8() {
        #expect(throws: JSONError.self) { try JSONTree.parse([0x22, 0xC3, 0x22]) }
    }

    @Test("Each repeated key is reported with its path, however it is escaped, in small and large objects")
    func repeatedKeys() {
        let text = #"{"a":1,"b":[{"c":1,"c":2}],"\u0061":3}"#
        let fault = "expected each key once, found the key twice"
        #expect(faults(text) == "$.b[0].c: \(fault)\n$.a: \(fault)")
        let many = (0..<40).map { "\"k\($0)\":0" }
        #expect(faults("{\(many.joined(separator: ","))}") == nil)
        for key in [0, 15, 16, 39] {
            #expect(faults("{\((many + ["\"k\(key)\":1"]).joined(separator: ","))}") == "$.k\(key): \(fault)")
        }
    }

    @Test("Limits are exact")
    func limits() {
        let limits = JSONLimits(bytes: 20, depth: 2, values: 5, numbersFitDouble: true)
        #expect(faults("[[1],2,3]", limits: limits) == nil)
        #expect(
            faults("[[[]]]", limits: limits) == "$: expected at most 2 levels, found one more at line 1, column 3"
        )
        #expect(
            faults("[[1],2,3,4]", limits: limits) == "$: expected at most 5 values, found more at line 1, column 10"
        )
        let long = "[\"\(String(repeating: "a", count: 17))\"]"
        #expect(faults(long, limits: limits) == "$: expected at most 20 bytes, found 21 bytes")
        #expect(
            faults("[1e999]", limits: limits)
                == "$: expected a number that fits a Double, found a larger one at line 1, column 2"
        )
        #expect(faults("[1e999]") == nil)
    }

    @Test("A fault can be shown without an excerpt of the text")
    func excerpt() {
        do {
            _ = try tree(#"{"password":secret}"#)
            Issue.record("accepted")
        } catch {
            #expect(error.description == "$: expected a JSON value, found `secret}` at line 1, column 13")
            #expect("\(error.withoutExcerpt)" == "$: expected a JSON value, found something else at line 1, column 13")
        }
    }

    @Test("Values are read by key and type")
    func reading() throws {
        let value = try tree(#"{"a":"x","b":[1.5,2],"c":true,"d":{"e":7}}"#)
        #expect(value["a"]?.text == "x" && value["c"]?.text == "true" && value["d"]?.text == nil)
        #expect(value["b"]?.elements.map(\.text) == ["1.5", "2"])
        #expect(value["b"]?.elements.map(\.number) == [nil, 2] && value["b"]?.elements.first?.double == 1.5)
        #expect(value["c"]?.isTrue == true && value["a"]?.isTrue == false)
        #expect(value["d"]?.members == [.init("e", .number("7"))] && value["b"]?.members == [])
        #expect(value["f"] == nil && value["a"]?["b"] == nil)
    }
}
