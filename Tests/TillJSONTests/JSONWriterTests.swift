import Testing
import TillJSON

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("An object is written key by key, without white space, and without the keys of nil values")
    func object() {
        var json = JSONWriter()
        json.put("text", "a\"\\/\n\u{1}é")
        json.put("none", nil as String?)
        json.put("large", Int64.max)
        json.put("number", -1)
        json.put("flag", false)
        json.put("list", ["x", "\u{1F}"])
        json.put("empty", [] as [String])
        json.put("written", written: Array("{}".utf8))
        json.put("objects", objects: [Array("[1]".utf8), Array("2".utf8)])
        json.put("ascii", quoting: Array("e30.e30".utf8))
        json.put("appended") { $0.append(UInt8(ascii: "7")) }
        let expected =
            #"{"text":"a\"\\/\u000a\u0001é","large":9223372036854775807,"number":-1,"flag":false,"#
            + #""list":["x","\u001f"],"empty":[],"written":{},"objects":[[1],2],"ascii":"e30.e30","appended":7}"#
        #expect(String(decoding: json.finish(), as: UTF8.self) == expected)
    }

    private let tree: JSONTree = .object([
        .init("a\n", .string("b\n\u{1}")), .init("c", .array([.number("1.50"), .null, .bool(true)])),
        .init("d", .array([])), .init("e", .object([])),
    ])

    @Test("A document is written with indentation, or like a payload")
    func document() {
        let indented = #"""
            {
              "a\n": "b\n\u0001",
              "c": [
                1.50,
                null,
                true
              ],
              "d": [],
              "e": {}
            }

            """#
        #expect(String(decoding: tree.written(), as: UTF8.self) == indented)
        var compact: [UInt8] = []
        tree.append(to: &compact)
        let expected = #"{"a\u000a":"b\u000a\u0001","c":[1.50,null,true],"d":[],"e":{}}"#
        #expect(String(decoding: compact, as: UTF8.self) == expected)
        #expect((try? JSONTree.parse(compact)) == tree)
    }

    @Test("An object is built without nil values")
    func building() {
        let built = JSONTree.members(["a": .text("x"), "b": .text(nil), "c": .count(3), "d": .count(nil as Int?)])
        #expect(built == .object([.init("a", .string("x")), .init("c", .number("3"))]))
    }

    @Test("A written text is split into the bytes of its values")
    func slices() throws {
        let written = "{\"a\":\"x,\\\"}\u{1}\",\"b\":[{\"c\":[1,2]},\"]\",-1.5e3],\"d\":{}}"
        let members = try #require(JSONSlice(Array(written.utf8)).members)
        func text(_ slice: JSONSlice) -> String { String(decoding: slice.bytes, as: UTF8.self) }
        #expect(members.map(\.key) == ["a", "b", "d"])
        #expect(members.map { text($0.value) } == ["\"x,\\\"}\u{1}\"", #"[{"c":[1,2]},"]",-1.5e3]"#, "{}"])
        #expect(members.map(\.value.isString) == [true, false, false])
        let elements = try #require(members[1].value.elements)
        #expect(elements.map(text) == [#"{"c":[1,2]}"#, #""]""#, "-1.5e3"])
        #expect(elements[0].members?.first?.value.elements?.map(text) == ["1", "2"])
        #expect(members[2].value.members?.isEmpty == true && members[2].value.elements == nil)
        #expect(JSONSlice(Array("[1,".utf8)).elements == nil && JSONSlice(Array("{\"a\"}".utf8)).members == nil)
    }
}
